import CofferVault
import FoundationEssentials

extension Database {
  /// The kinds of events that a trace reports.
  public struct TracingOptions: OptionSet, Sendable {
    /// The raw bits of the options.
    public let rawValue: CInt

    /// Creates options from their raw bits.
    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// Reports statements when they begin.
    public static let statement = TracingOptions(rawValue: 1)
    /// Reports statements and their duration when they end.
    public static let profile = TracingOptions(rawValue: 2)
  }

  /// An event reported by a trace.
  public enum TraceEvent: CustomStringConvertible {
    /// A statement begins.
    case statement(Statement)
    /// A statement has ended; the duration is in seconds.
    case profile(statement: Statement, duration: TimeInterval)

    /// A traced statement.
    ///
    /// Its text is redacted if the SQL may contain a key.
    public struct Statement: CustomStringConvertible {
      private let source: TracedStatement

      init(_ source: TracedStatement) { self.source = source }

      /// The SQL, without the values of its parameters.
      public var sql: String { source.sql }

      /// The SQL with the values of its parameters, which can be private.
      ///
      /// Available inside the trace function only; later, this is ``sql``.
      public var expandedSQL: String { source.expandedSQL }

      /// ``expandedSQL`` if `Configuration.publicStatementArguments` allows it, otherwise ``sql``.
      public var description: String { source.showsArguments ? expandedSQL : sql }
    }

    /// The SQL, preceded by the duration of a statement that has ended.
    ///
    /// Parameter values are included only if `Configuration.publicStatementArguments` allows it.
    public var description: String { describe(\.description) }

    /// The SQL with the values of its parameters, which can be private.
    ///
    /// Available inside the trace function only.
    public var expandedDescription: String { describe(\.expandedSQL) }

    private func describe(_ sql: (Statement) -> String) -> String {
      switch self {
      case .statement(let statement): return sql(statement)
      case .profile(let statement, let duration):
        let milliseconds = Int((duration * 1000).rounded())
        let fraction = String(milliseconds % 1000 + 1000).dropFirst()
        return "\(milliseconds / 1000).\(fraction)s \(sql(statement))"
      }
    }
  }

  /// Traces the statements that the connection executes.
  ///
  /// ```swift
  /// configuration.prepareDatabase { db in
  ///   db.trace { print($0) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - options: The events to report; by default, statements as they begin.
  ///   - trace: Called while statements run, so it can't use the connection. Nil ends the trace.
  public func trace(
    options: TracingOptions = .statement, _ trace: ((_ event: TraceEvent) -> Void)? = nil
  ) {
    guard let connection = sqliteConnection else { return }
    let tracer = trace.map { receive in
      Tracer(showsArguments: configuration.publicStatementArguments, receive)
    }
    SQLite.setTracer(tracer, options: options, in: connection)
    hooks.tracer = tracer
    hooks.tracingOptions = options
  }

  /// Executes `body` without tracing its statements.
  func withoutTracing<T>(_ body: () throws -> T) rethrows -> T {
    guard let tracer = hooks.tracer, let connection = sqliteConnection else { return try body() }
    SQLite.setTracer(nil, options: [], in: connection)
    defer { SQLite.setTracer(tracer, options: hooks.tracingOptions, in: connection) }
    return try body()
  }

  // MARK: The log

  /// A function that receives the messages of SQLite's error log.
  public typealias LogErrorFunction =
    @Sendable (
      _ resultCode: ResultCode, _ message: String
    ) -> Void

  /// The function that receives the messages of SQLite's error log, from all connections.
  ///
  /// This works only if nothing else in the process uses SQLite before the first database is
  /// opened. The function must not use a database. Messages that may contain a key are redacted.
  /// <https://sqlite.org/errlog.html>
  public static var logError: LogErrorFunction? {
    get { ErrorLog.function }
    set { ErrorLog.function = newValue }
  }
}
