import FoundationEssentials
import Synchronization

extension Database {
  /// What a trace tells of.
  public struct TracingOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: CInt

    /// The options with these bits.
    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// Statements, when they begin.
    public static let statement = TracingOptions(rawValue: 1)
    /// Statements and the time that they took, when they end.
    public static let profile = TracingOptions(rawValue: 2)
  }

  /// What a trace tells.
  public enum TraceEvent: CustomStringConvertible {
    /// A statement begins.
    case statement(Statement)
    /// A statement has ended; the duration is in seconds.
    case profile(statement: Statement, duration: TimeInterval)

    /// A statement that is traced.
    ///
    /// A key that may be written in its SQL is not shown.
    public struct Statement: CustomStringConvertible {
      private let source: TracedStatement

      init(_ source: TracedStatement) { self.source = source }

      /// The SQL, without the values of its parameters.
      public var sql: String { source.sql }

      /// The SQL with the values of its parameters, which may be private.
      ///
      /// To be asked for inside the trace function; later, it is ``sql``.
      public var expandedSQL: String { source.expandedSQL }

      /// ``sql``; ``expandedSQL`` where `Configuration.publicStatementArguments` allows it.
      public var description: String { source.showsArguments ? expandedSQL : sql }
    }

    /// The SQL, after the duration if any; with the values of its parameters only where
    /// `Configuration.publicStatementArguments` allows it.
    public var description: String { describe(\.description) }

    /// The SQL with the values of its parameters, which may be private.
    ///
    /// To be asked for inside the trace function.
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
  ///   - options: What to tell of; statements as they begin by default.
  ///   - trace: Called while statements are executed: it can't use the
  ///     connection. Nil ends the trace.
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

  /// Executes `body`, whose statements are not traced.
  func withoutTracing<T>(_ body: () throws -> T) rethrows -> T {
    guard let tracer = hooks.tracer, let connection = sqliteConnection else { return try body() }
    SQLite.setTracer(nil, options: [], in: connection)
    defer { SQLite.setTracer(tracer, options: hooks.tracingOptions, in: connection) }
    return try body()
  }

  // MARK: The log

  /// Receives the messages of SQLite's error log.
  public typealias LogErrorFunction =
    @Sendable (
      _ resultCode: ResultCode, _ message: String
    ) -> Void

  private static let logFunction = Mutex<LogErrorFunction?>(nil)

  /// Receives the messages of SQLite's error log, of all connections.
  ///
  /// It has an effect only if nobody else in the process has used SQLite before
  /// the first database is opened. It must not use a database. A message that
  /// may hold a key is not shown. <https://sqlite.org/errlog.html>
  public static var logError: LogErrorFunction? {
    get { logFunction.withLock { $0 } }
    set { logFunction.withLock { $0 = newValue } }
  }
}
