import CofferVault
import Foundation

extension Row {
  // MARK: Values by index

  /// The value of the 0-based column, in its storage class; nil for NULL.
  public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
    checkIndex(index)
    return databaseValue(at: index).storage.value
  }

  /// The value of the 0-based column.
  ///
  /// Traps if it can't be converted, or if it is NULL and `Value` is not optional.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
    if let value: Value = fastValue(at: index) { return value }
    do { return try decodeSlowly(Value.self, atIndex: index) } catch { Row.trap(error) }
  }

  /// Returns the value of the 0-based column.
  ///
  /// - Throws: ``RowDecodingError`` if it can't be converted, or if it is NULL and `Value` is not
  ///   optional.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, atIndex index: Int
  ) throws -> Value {
    if let value: Value = fastValue(at: index) { return value }
    return try decodeSlowly(Value.self, atIndex: index)
  }

  /// Returns the value read without a ``DatabaseValue``; nil if that is impossible or fails.
  @inlinable
  package func fastValue<Value: DatabaseValueConvertible>(at index: Int) -> Value? {
    guard let live else { return adaptedOrCopiedValue(at: index) }
    guard unsafe UInt(bitPattern: index) < UInt(bitPattern: live.pointee.columnCount)
    else { return nil }
    if let value = unsafe live.pointee.direct(Value.self, at: index) { return value }
    return storedValue(at: index)
  }

  /// Returns the value read without a ``DatabaseValue``, by column name; nil if that fails.
  @inlinable
  func fastValue<Value: DatabaseValueConvertible>(named name: String) -> Value? {
    guard let live else { return adaptedOrCopiedValue(named: name) }
    guard let index = unsafe live.pointee.predictor.predictedIndex(of: name) else { return nil }
    if let value = unsafe live.pointee.direct(Value.self, at: index) { return value }
    return storedValue(at: index)
  }

  /// Returns the value of a statement's column as SQLite's functions give it; nil if they can't.
  ///
  /// It isn't inlined, so that what calls it has no registers to save for the calls in it.
  @inlinable @inline(never)
  func storedValue<Value: DatabaseValueConvertible>(at index: Int) -> Value? {
    guard let handle = live?.pointee.handle else { return nil }
    return Value._value(of: handle, at: CInt(truncatingIfNeeded: index))
  }

  @usableFromInline
  func decodeSlowly<Value: DatabaseValueConvertible>(
    _ type: Value.Type, atIndex index: Int
  ) throws -> Value {
    checkIndex(index)
    let value = databaseValue(at: index)
    // Tries the conversion from a `DatabaseValue`.
    if let result = Value.fromDatabaseValue(value) { return result }
    throw RowDecodingError.valueMismatch(
      Value.self, context: decodingContext(column: index), databaseValue: value)
  }

  // MARK: Values by name

  /// The value of the leftmost column with this name, case-insensitively.
  ///
  /// Nil if it is NULL or missing.
  public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
    guard let index = index(ofColumn: columnName) else { return nil }
    return databaseValue(at: index).storage.value
  }

  /// The value of the leftmost column with this name, case-insensitively.
  ///
  /// Traps if the column is missing, if its value can't be converted, or if it is NULL and `Value`
  /// is not optional.
  @inlinable @inline(__always)
  public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
    if let value: Value = fastValue(named: columnName) { return value }
    do { return try decode(Value.self, forColumn: columnName) } catch { Row.trap(error) }
  }

  /// Returns the value of the leftmost column with this name, case-insensitively.
  ///
  /// - Throws: ``RowDecodingError`` if the column is missing, if its value can't be converted, or
  ///   if it is NULL and `Value` is not optional.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forColumn columnName: String
  ) throws -> Value {
    if let value: Value = fastValue(named: columnName) { return value }
    guard let index = index(ofColumn: columnName) else {
      return try missing(Value.self, columnName)
    }
    return try decode(Value.self, atIndex: index)
  }

  @usableFromInline
  func missing<Value: DatabaseValueConvertible>(
    _ type: Value.Type, _ columnName: String
  ) throws -> Value {
    if let value = Value.fromMissingColumn() { return value }
    throw RowDecodingError.columnNotFound(
      columnName, context: decodingContext(columnName: columnName))
  }

  // MARK: The first value that is not NULL

  /// Returns the first value that is not NULL among the named columns; ignores missing columns.
  public func coalesce<T: DatabaseValueConvertible>(_ columnNames: some Collection<String>) -> T? {
    for name in columnNames {
      if let value: T = self[name] { return value }
    }
    return nil
  }

  // MARK: Bytes without a copy

  /// Calls `body` with the bytes of the text or blob in the 0-based column.
  ///
  /// It passes nil for NULL and numbers. Nothing is copied: the bytes are valid only during the
  /// call.
  @inlinable
  @safe public func withUnsafeBytes<Result>(
    at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result
  ) rethrows -> Result {
    if let live, unsafe UInt(bitPattern: index) < UInt(bitPattern: live.pointee.columnCount),
      let handle = unsafe live.pointee.handle
    {
      let column = CInt(truncatingIfNeeded: index)
      let type = SQLite.columnType(handle, column)
      if type == SQLite.textType {
        return try unsafe body(UnsafeRawBufferPointer(SQLite.columnText(handle, column)))
      }
      return try unsafe body(type == SQLite.blobType ? SQLite.columnBlob(handle, column) : nil)
    }
    checkIndex(index)
    return try withBaseBytes(baseIndex(index)) { bytes, _ in try unsafe body(bytes) }
  }

  /// Calls `body` with the UTF-8 bytes of the text in the 0-based column.
  ///
  /// It passes nil for other values. Nothing is copied or repaired: the bytes are as stored, and
  /// valid only during the call.
  @inlinable
  @safe public func withUTF8<Result>(
    at index: Int, _ body: (UnsafeBufferPointer<UInt8>?) throws -> Result
  ) rethrows -> Result {
    if let live, unsafe UInt(bitPattern: index) < UInt(bitPattern: live.pointee.columnCount),
      let handle = unsafe live.pointee.handle
    {
      let column = CInt(truncatingIfNeeded: index)
      let isText = SQLite.columnType(handle, column) == SQLite.textType
      return try unsafe body(isText ? SQLite.columnText(handle, column) : nil)
    }
    checkIndex(index)
    return try withBaseBytes(baseIndex(index)) { bytes, isText in
      try unsafe body(isText ? bytes?.bindMemory(to: UInt8.self) : nil)
    }
  }

  /// Calls `body` with the bytes of the 0-based column as data; with nil for NULL.
  ///
  /// Texts and blobs are not copied: the data is valid only during the call.
  public func withUnsafeData<Result>(
    atIndex index: Int, _ body: (Data?) throws -> Result
  ) throws -> Result {
    try withUnsafeBytes(at: index) { bytes in
      guard let bytes = unsafe bytes else {
        let value = databaseValue(at: index)
        guard !value.isNull else { return try body(nil) }
        guard let data = Data.fromDatabaseValue(value) else {
          throw RowDecodingError.valueMismatch(
            Data.self, context: decodingContext(column: index), databaseValue: value)
        }
        return try body(data)
      }
      guard let start = bytes.baseAddress, bytes.count > 0 else { return try body(Data()) }
      return try unsafe body(
        Data(
          bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
          deallocator: .none))
    }
  }

  /// Calls `body` with the bytes of the 0-based column as data; with nil for NULL.
  ///
  /// Texts and blobs are not copied: the data is valid only during the call.
  public func withUnsafeData<Result>(
    at index: Int, _ body: (Data?) throws -> Result
  ) throws -> Result {
    try withUnsafeData(atIndex: index, body)
  }

  /// Calls `body` with the bytes of the leftmost column with this name.
  ///
  /// It passes nil if it is NULL or missing. Texts and blobs are not copied: the data is valid only
  /// during the call.
  public func withUnsafeData<Result>(
    named columnName: String, _ body: (Data?) throws -> Result
  ) throws -> Result {
    guard let index = index(ofColumn: columnName) else { return try body(nil) }
    return try withUnsafeData(atIndex: index, body)
  }

  /// Returns a copy of the bytes of the 0-based column.
  @available(*, deprecated, message: "Use withUnsafeData(atIndex:_:), which copies nothing.")
  public func dataNoCopy(atIndex index: Int) -> Data? { self[index] }

  /// Returns a copy of the bytes of the leftmost column with this name.
  @available(*, deprecated, message: "Use withUnsafeData(named:_:), which copies nothing.")
  public func dataNoCopy(named columnName: String) -> Data? { self[columnName] }

  // MARK: Errors

  package func decodingContext(column index: Int) -> RowDecodingContext {
    var context = decodingContext(columnName: layout.columnNames[index])
    context.columnIndex = index
    return context
  }

  package func decodingContext(columnName: String) -> RowDecodingContext {
    // The error doesn't hold the other columns' values: they may be private.
    RowDecodingContext(columnName: columnName, sql: statement?.sql)
  }

  @usableFromInline
  static func trap(_ error: any Error) -> Never {
    preconditionFailure("\(error)")
  }
}
