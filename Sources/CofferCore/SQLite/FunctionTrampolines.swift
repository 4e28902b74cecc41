import CSQLCipher
import CofferVault
import Synchronization

extension SQLite {
  /// The arguments of one call of a function.
  ///
  /// SQLite owns them; they are valid until the call returns.
  @safe struct FunctionArguments {
    // SAFETY: points to `count` values, which SQLite keeps alive during the call.
    @safe fileprivate let values: UnsafeMutablePointer<OpaquePointer?>?
    let count: Int

    @safe fileprivate init(_ values: UnsafeMutablePointer<OpaquePointer?>?, count: CInt) {
      self.values = unsafe values
      self.count = unsafe values == nil ? 0 : Int(count)
    }

    /// Copies of all values.
    var databaseValues: [DatabaseValue] { (0..<count).map { databaseValue(at: $0) } }

    /// Returns a copy of the value.
    func databaseValue(at index: Int) -> DatabaseValue {
      guard let value = value(at: index) else { return .null }
      switch unsafe sqlite3_value_type(value) {
      case SQLITE_INTEGER: return unsafe DatabaseValue(storage: .int64(sqlite3_value_int64(value)))
      case SQLITE_FLOAT: return unsafe DatabaseValue(storage: .double(sqlite3_value_double(value)))
      case SQLITE_TEXT: return DatabaseValue(storage: .string(Self.text(of: value)))
      case SQLITE_BLOB:
        // Reads the bytes before their count: the order that SQLite requires. The pointer is null
        // for an empty blob, and if memory has run out.
        guard let bytes = unsafe sqlite3_value_blob(value) else {
          return DatabaseValue(storage: .blob(.init()))
        }
        let blob = unsafe UnsafeRawBufferPointer(
          start: bytes, count: Int(sqlite3_value_bytes(value)))
        return unsafe DatabaseValue(storage: .blob(.init(blob)))
      default: return .null
      }
    }

    /// Returns a text, or a blob that is valid UTF-8; nil for all other values.
    func string(at index: Int) -> String? {
      guard let value = value(at: index) else { return nil }
      if unsafe sqlite3_value_type(value) == SQLITE_TEXT { return Self.text(of: value) }
      return String.fromDatabaseValue(databaseValue(at: index))
    }

    /// Passes the bytes of a text or blob to `body`; returns nil for other values, or if `body`
    /// does.
    @safe func withUTF8<R>(
      at index: Int, _ body: (UnsafeRawBufferPointer) throws -> R?
    ) rethrows -> R? {
      guard let value = value(at: index) else { return nil }
      let start: UnsafeRawPointer?
      switch unsafe sqlite3_value_type(value) {
      case SQLITE_TEXT: unsafe start = unsafe UnsafeRawPointer(sqlite3_value_text(value))
      case SQLITE_BLOB: unsafe start = unsafe sqlite3_value_blob(value)
      default: return nil
      }
      let count = unsafe start == nil ? 0 : Int(sqlite3_value_bytes(value))
      return try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    @safe private func value(at index: Int) -> OpaquePointer? {
      guard let values, index < count else { return nil }
      return unsafe values[index]
    }

    @safe private static func text(of value: OpaquePointer) -> String {
      guard let start = unsafe sqlite3_value_text(value) else { return "" }
      let utf8 = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
      return unsafe String(decoding: utf8, as: UTF8.self)
    }
  }

  // MARK: Functions

  /// Registers a function in the connection, which retains it.
  @safe package static func add(
    _ function: DatabaseFunction, to connection: SQLiteConnection
  ) -> CInt {
    let flags = SQLITE_UTF8 | (function.isPure ? SQLITE_DETERMINISTIC : 0)
    // SAFETY: SQLite calls the destructor exactly once, even if the registration fails.
    let context = unsafe Unmanaged.passRetained(function).toOpaque()
    switch function.implementation {
    case .scalar:
      return unsafe sqlite3_create_function_v2(
        connection, function.name, CInt(function.argumentCount ?? -1), flags, context,
        scalarCall, nil, nil, releaseFunction)
    case .aggregate:
      return unsafe sqlite3_create_function_v2(
        connection, function.name, CInt(function.argumentCount ?? -1), flags, context,
        nil, aggregateStep, aggregateFinal, releaseFunction)
    }
  }

  /// Removes a function from the connection.
  @safe package static func remove(
    _ function: DatabaseFunction, from connection: SQLiteConnection
  ) -> CInt {
    unsafe sqlite3_create_function_v2(
      connection, function.name, CInt(function.argumentCount ?? -1), SQLITE_UTF8, nil, nil, nil,
      nil, nil)
  }

  // MARK: Collations

  /// Registers a collation in the connection, which retains it.
  @safe package static func add(
    _ collation: DatabaseCollation, to connection: SQLiteConnection
  ) -> CInt {
    let retained = unsafe Unmanaged.passRetained(collation)
    let code = unsafe sqlite3_create_collation_v2(
      connection, collation.name, SQLITE_UTF8, retained.toOpaque(), collationCompare,
      releaseCollation)
    // SAFETY: unlike a function's destructor, a collation's destructor isn't called on failure.
    if code != SQLITE_OK { unsafe retained.release() }
    return code
  }

  /// Removes a collation from the connection.
  @safe package static func remove(
    _ collation: DatabaseCollation, from connection: SQLiteConnection
  ) -> CInt {
    unsafe sqlite3_create_collation_v2(connection, collation.name, SQLITE_UTF8, nil, nil, nil)
  }

  /// Registers a collation of EasyDB when a statement needs it and the connection has no other
  /// collation of that name.
  @safe static func provideCollations(to connection: SQLiteConnection) -> CInt {
    unsafe sqlite3_collation_needed(connection, nil) { _, connection, _, name in
      guard let connection = unsafe connection,
        let name = unsafe name.map({ unsafe foldedASCII(String(cString: $0)) }),
        let collation = DatabaseCollation.ofEasyDB.first(where: { $0.id.name == name })
      else { return }
      _ = SQLite.add(collation, to: connection)
    }
  }

  /// The message of the last function that has failed in a connection, by its address.
  private static let functionFailures = Mutex<[UInt: String]>([:])

  /// Returns and forgets the message of the last function that has failed in the connection.
  @safe static func takeFunctionFailure(of connection: SQLiteConnection?) -> String? {
    unsafe connection.flatMap { connection in
      functionFailures.withLock { $0.removeValue(forKey: UInt(bitPattern: connection)) }
    }
  }

  /// Sets an error as the result of a function.
  @safe fileprivate static func setError(_ error: any Error, of context: OpaquePointer?) {
    let databaseError = error as? DatabaseError
    var message = databaseError.map { $0.message ?? "" } ?? "\(error)"
    if let connection = unsafe sqlite3_context_db_handle(context) {
      functionFailures.withLock { $0[UInt(bitPattern: connection)] = message }
    }
    message.withUTF8 { utf8 in
      let count = CInt(clamping: utf8.count)
      guard let start = utf8.baseAddress else { return unsafe sqlite3_result_error(context, "", 0) }
      unsafe start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
        unsafe sqlite3_result_error(context, $0, count)
      }
    }
    guard let code = databaseError?.extendedResultCode.rawValue else { return }
    switch code & 0xFF {
    // Codes that aren't failures, and the one that makes SQLite restart the statement.
    case SQLITE_OK, SQLITE_ROW, SQLITE_DONE, SQLITE_SCHEMA: break
    // Follows the message, since it would set a default one.
    default: unsafe sqlite3_result_error_code(context, code)
    }
  }
}

// The callbacks. Swift errors can't pass through C: they become results.

private func function(of context: OpaquePointer?) -> DatabaseFunction? {
  guard let pointer = unsafe sqlite3_user_data(context) else { return nil }
  // SAFETY: retained by `add` until SQLite calls `releaseFunction`.
  return unsafe Unmanaged<DatabaseFunction>.fromOpaque(pointer).takeUnretainedValue()
}

private func releaseFunction(_ pointer: UnsafeMutableRawPointer?) {
  guard let pointer = unsafe pointer else { return }
  // SAFETY: balances the retain of `add`.
  unsafe Unmanaged<DatabaseFunction>.fromOpaque(pointer).release()
}

private func scalarCall(
  context: OpaquePointer?, count: CInt, values: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard case .scalar(let call)? = unsafe function(of: context)?.implementation else { return }
  do {
    SQLite.setResult(try call(SQLite.FunctionArguments(values, count: count)), of: context)
  } catch {
    SQLite.setError(error, of: context)
  }
}

/// Returns the slot in which SQLite keeps the aggregate of one group of rows.
private func aggregateSlot(
  of context: OpaquePointer?, size: Int
) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
  // SAFETY: SQLite allocates `size` zeroed bytes, enough for one pointer, with maximum alignment.
  unsafe sqlite3_aggregate_context(context, CInt(size))?
    .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
}

private func aggregateStep(
  context: OpaquePointer?, count: CInt, values: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard case .aggregate(let make)? = unsafe function(of: context)?.implementation else { return }
  guard let slot = unsafe aggregateSlot(of: context, size: MemoryLayout<UnsafeRawPointer>.size)
  else {
    return unsafe sqlite3_result_error_nomem(context)
  }
  let run: AggregateRun
  if let pointer = unsafe slot.pointee {
    // SAFETY: retained below until `aggregateFinal`.
    run = unsafe Unmanaged<AggregateRun>.fromOpaque(pointer).takeUnretainedValue()
  } else {
    run = make()
    unsafe slot.pointee = unsafe Unmanaged.passRetained(run).toOpaque()
  }
  do {
    try run.step(SQLite.FunctionArguments(values, count: count))
  } catch {
    SQLite.setError(error, of: context)
  }
}

private func aggregateFinal(context: OpaquePointer?) {
  guard case .aggregate(let make)? = unsafe function(of: context)?.implementation else { return }
  let run: AggregateRun
  // Size 0 allocates nothing: without rows, no slot exists.
  if let slot = unsafe aggregateSlot(of: context, size: 0), let pointer = unsafe slot.pointee {
    // SAFETY: balances the retain of the first step; SQLite calls this function once, even for a
    // group that was never completed.
    run = unsafe Unmanaged<AggregateRun>.fromOpaque(pointer).takeRetainedValue()
    unsafe slot.pointee = nil
  } else {
    run = make()
  }
  do {
    SQLite.setResult(try run.finalize(), of: context)
  } catch {
    SQLite.setError(error, of: context)
  }
}

private func releaseCollation(_ pointer: UnsafeMutableRawPointer?) {
  guard let pointer = unsafe pointer else { return }
  // SAFETY: balances the retain of `add`.
  unsafe Unmanaged<DatabaseCollation>.fromOpaque(pointer).release()
}

private func collationCompare(
  pointer: UnsafeMutableRawPointer?, leftCount: CInt, left: UnsafeRawPointer?, rightCount: CInt,
  right: UnsafeRawPointer?
) -> CInt {
  guard let pointer = unsafe pointer else { return 0 }
  // SAFETY: retained by `add` until SQLite calls `releaseCollation`; the bytes are valid during the
  // call.
  return unsafe Unmanaged<DatabaseCollation>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
    collation in
    let order = unsafe collation.compare(
      UnsafeRawBufferPointer(start: left, count: left == nil ? 0 : Int(leftCount)),
      UnsafeRawBufferPointer(start: right, count: right == nil ? 0 : Int(rightCount)))
    return CInt(order.rawValue)
  }
}
