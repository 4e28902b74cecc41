import CSQLCipher
import CofferVault

/// The receiver of SQLite's trace events.
final class Tracer {
  private let receive: (Database.TraceEvent) -> Void
  private let showsArguments: Bool

  /// - Parameter showsArguments: Whether descriptions show the values of parameters.
  init(showsArguments: Bool, _ receive: @escaping (Database.TraceEvent) -> Void) {
    self.showsArguments = showsArguments
    self.receive = receive
  }

  @safe fileprivate func statement(_ handle: OpaquePointer, _ text: UnsafePointer<CChar>) {
    var comment: String?
    if unsafe text[0] == 0x2D && text[1] == 0x2D {
      let text = unsafe String(cString: text)
      // The statement's own text can begin with a comment.
      if SQLString(text) != SQLString(SQLite.sql(handle)) { comment = text }
    }
    let source = TracedStatement(handle, comment: comment, showsArguments: showsArguments)
    receive(.statement(Database.TraceEvent.Statement(source)))
    source.handle = nil
  }

  @safe fileprivate func profile(_ handle: OpaquePointer, nanoseconds: Int64) {
    let source = TracedStatement(handle, comment: nil, showsArguments: showsArguments)
    receive(
      .profile(
        statement: Database.TraceEvent.Statement(source), duration: Double(nanoseconds) / 1e9))
    source.handle = nil
  }
}

/// A statement during a trace callback.
@safe final class TracedStatement {
  // SAFETY: cleared when the trace callback returns.
  @safe fileprivate var handle: OpaquePointer?
  let sql: String
  let showsArguments: Bool

  /// - Parameter comment: SQLite's report of a trigger, by its name, or of a statement that is
  ///   executed inside of another one, by its SQL.
  @safe fileprivate init(_ handle: OpaquePointer, comment: String?, showsArguments: Bool) {
    self.handle = unsafe handle
    self.showsArguments = showsArguments
    // If the text had several statements, SQLite's SQL includes the blanks and comments between
    // them.
    sql =
      comment.map { "-- " + SQLString(String($0.dropFirst(2).drop { $0 == " " })).redacted }
      ?? SQLString(SQLString(SQLite.sql(handle)).trimmed).redacted
    hasValues = comment == nil && !SQLString(SQLite.sql(handle)).holdsKey
  }

  private let hasValues: Bool

  /// The SQL with its values; without them after the trace callback has returned.
  var expandedSQL: String {
    guard hasValues, let handle else { return sql }
    return SQLite.expandedSQL(handle).map { SQLString($0).trimmed } ?? sql
  }
}

extension SQLite {
  /// Sets the tracer of SQLite's statements; nil removes it.
  @safe static func setTracer(
    _ tracer: Tracer?, options: Database.TracingOptions, in connection: SQLiteConnection
  ) {
    guard let tracer else {
      unsafe sqlite3_trace_v2(connection, 0, nil, nil)
      return
    }
    var mask: CInt = 0
    if options.contains(.statement) { mask |= SQLITE_TRACE_STMT }
    if options.contains(.profile) { mask |= SQLITE_TRACE_PROFILE }
    // SAFETY: the database retains the tracer, and removes it before it closes.
    unsafe sqlite3_trace_v2(
      connection, UInt32(mask), trace, Unmanaged.passUnretained(tracer).toOpaque())
  }
}

private func trace(
  event: UInt32, context: UnsafeMutableRawPointer?, statement: UnsafeMutableRawPointer?,
  detail: UnsafeMutableRawPointer?
) -> CInt {
  guard let context = unsafe context, let statement = unsafe statement, let detail = unsafe detail
  else { return 0 }
  let handle = OpaquePointer(statement)
  unsafe Unmanaged<Tracer>.fromOpaque(context)._withUnsafeGuaranteedRef { tracer in
    if CInt(event) == SQLITE_TRACE_STMT {
      unsafe tracer.statement(handle, UnsafePointer(detail.assumingMemoryBound(to: CChar.self)))
    } else if CInt(event) == SQLITE_TRACE_PROFILE {
      unsafe tracer.profile(
        handle, nanoseconds: detail.assumingMemoryBound(to: sqlite3_int64.self).pointee)
    }
  }
  return 0
}
