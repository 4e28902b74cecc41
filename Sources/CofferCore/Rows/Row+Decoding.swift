import Foundation

extension Row {
  // MARK: Values by index

  /// The value of the 0-based column as it is stored; nil for NULL.
  public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
    checkIndex(index)
    return databaseValue(at: index).storage.value
  }

  /// The value of the 0-based column.
  ///
  /// Traps where it is NULL or can't be converted, and `Value` is not optional.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
    if let value: Value = fastValue(at: index) { return value }
    do { return try decodeSlowly(Value.self, atIndex: index) } catch { Row.trap(error) }
  }

  /// The value of the 0-based column.
  ///
  /// - Throws: ``RowDecodingError`` where it is NULL or can't be converted, and
  ///   `Value` is not optional.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, atIndex index: Int
  ) throws -> Value {
    if let value: Value = fastValue(at: index) { return value }
    return try decodeSlowly(Value.self, atIndex: index)
  }

  /// The value from the statement; nil where that is not the way, or fails.
  @inlinable
  package func fastValue<Value: DatabaseValueConvertible>(at index: Int) -> Value? {
    guard let live else { return adaptedOrCopiedValue(at: index) }
    guard UInt(bitPattern: index) < UInt(bitPattern: live.pointee.columnCount),
      let handle = live.pointee.handle
    else { return nil }
    return Value._value(of: handle, at: CInt(truncatingIfNeeded: index))
  }

  /// The same of the column of a name.
  @inlinable
  func fastValue<Value: DatabaseValueConvertible>(named name: String) -> Value? {
    guard let live else { return adaptedOrCopiedValue(named: name) }
    guard let handle = live.pointee.handle,
      let index = live.pointee.predictor.predictedIndex(of: name)
    else { return nil }
    return Value._value(of: handle, at: CInt(truncatingIfNeeded: index))
  }

  @usableFromInline
  func decodeSlowly<Value: DatabaseValueConvertible>(
    _ type: Value.Type, atIndex index: Int
  ) throws -> Value {
    checkIndex(index)
    let value = databaseValue(at: index)
    // The road that a live row takes is tried on copies too, through the value.
    if let result = Value.fromDatabaseValue(value) { return result }
    throw RowDecodingError.valueMismatch(
      Value.self, context: decodingContext(column: index), databaseValue: value)
  }

  // MARK: Values by name

  /// The value of the leftmost column of that name, in either case; nil for NULL
  /// and where there is no such column.
  public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
    guard let index = index(ofColumn: columnName) else { return nil }
    return databaseValue(at: index).storage.value
  }

  /// The value of the leftmost column of that name, in either case.
  ///
  /// Traps where there is no such column, or where its value is NULL or can't be
  /// converted, and `Value` is not optional.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
    if let value: Value = fastValue(named: columnName) { return value }
    do { return try decode(Value.self, forColumn: columnName) } catch { Row.trap(error) }
  }

  /// The value of the leftmost column of that name, in either case.
  ///
  /// - Throws: ``RowDecodingError`` where there is no such column, or where its
  ///   value is NULL or can't be converted, and `Value` is not optional.
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

  // MARK: The first value that is there

  /// The first value that is not NULL among the columns of those names; names
  /// of no column are passed over.
  public func coalesce<T: DatabaseValueConvertible>(_ columnNames: some Collection<String>) -> T? {
    for name in columnNames {
      if let value: T = self[name] { return value }
    }
    return nil
  }

  // MARK: Bytes without a copy

  /// Lends the bytes of the 0-based column, a text or a blob, to `body`; nil for
  /// NULL and for numbers.
  ///
  /// Nothing is copied: the bytes are valid inside `body` only.
  @inlinable
  public func withUnsafeBytes<Result>(
    at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result
  ) rethrows -> Result {
    if let live, UInt(bitPattern: index) < UInt(bitPattern: live.pointee.columnCount),
      let handle = live.pointee.handle
    {
      let column = CInt(truncatingIfNeeded: index)
      let type = SQLite.columnType(handle, column)
      if type == SQLite.textType {
        return try body(UnsafeRawBufferPointer(SQLite.columnText(handle, column)))
      }
      return try body(type == SQLite.blobType ? SQLite.columnBlob(handle, column) : nil)
    }
    checkIndex(index)
    return try withBaseBytes(baseIndex(index)) { bytes, _ in try body(bytes) }
  }

  /// Lends the UTF-8 of the 0-based column, a text, to `body`; nil for anything
  /// that is not text.
  ///
  /// Nothing is copied, and nothing repaired: the bytes are those that are
  /// stored, valid inside `body` only.
  @inlinable
  public func withUTF8<Result>(
    at index: Int, _ body: (UnsafeBufferPointer<UInt8>?) throws -> Result
  ) rethrows -> Result {
    if let live, UInt(bitPattern: index) < UInt(bitPattern: live.pointee.columnCount),
      let handle = live.pointee.handle
    {
      let column = CInt(truncatingIfNeeded: index)
      let isText = SQLite.columnType(handle, column) == SQLite.textType
      return try body(isText ? SQLite.columnText(handle, column) : nil)
    }
    checkIndex(index)
    return try withBaseBytes(baseIndex(index)) { bytes, isText in
      try body(isText ? bytes?.bindMemory(to: UInt8.self) : nil)
    }
  }

  /// Lends the bytes of the 0-based column to `body` as data; nil for NULL.
  ///
  /// A text or a blob is not copied: the data is valid inside `body` only.
  public func withUnsafeData<Result>(
    atIndex index: Int, _ body: (Data?) throws -> Result
  ) throws -> Result {
    try withUnsafeBytes(at: index) { bytes in
      guard let bytes else {
        let value = databaseValue(at: index)
        guard !value.isNull else { return try body(nil) }
        guard let data = Data.fromDatabaseValue(value) else {
          throw RowDecodingError.valueMismatch(
            Data.self, context: decodingContext(column: index), databaseValue: value)
        }
        return try body(data)
      }
      guard let start = bytes.baseAddress, bytes.count > 0 else { return try body(Data()) }
      return try body(
        Data(
          bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
          deallocator: .none))
    }
  }

  /// Lends the bytes of the 0-based column to `body` as data; nil for NULL.
  ///
  /// A text or a blob is not copied: the data is valid inside `body` only.
  public func withUnsafeData<Result>(
    at index: Int, _ body: (Data?) throws -> Result
  ) throws -> Result {
    try withUnsafeData(atIndex: index, body)
  }

  /// Lends the bytes of the leftmost column of that name to `body` as data; nil
  /// for NULL and where there is no such column.
  ///
  /// A text or a blob is not copied: the data is valid inside `body` only.
  public func withUnsafeData<Result>(
    named columnName: String, _ body: (Data?) throws -> Result
  ) throws -> Result {
    guard let index = index(ofColumn: columnName) else { return try body(nil) }
    return try withUnsafeData(atIndex: index, body)
  }

  /// The bytes of the 0-based column, as the subscript gives them: copied, so that they stay valid.
  @available(*, deprecated, message: "Use withUnsafeData(atIndex:_:), which copies nothing.")
  public func dataNoCopy(atIndex index: Int) -> Data? { self[index] }

  /// The bytes of the leftmost column of that name, as the subscript gives them: copied, so that
  /// they stay valid.
  @available(*, deprecated, message: "Use withUnsafeData(named:_:), which copies nothing.")
  public func dataNoCopy(named columnName: String) -> Data? { self[columnName] }

  // MARK: Errors

  package func decodingContext(column index: Int) -> RowDecodingContext {
    var context = decodingContext(columnName: layout.columnNames[index])
    context.columnIndex = index
    return context
  }

  package func decodingContext(columnName: String) -> RowDecodingContext {
    // The other columns' values stay out of the error: they may be private.
    RowDecodingContext(columnName: columnName, sql: statement?.sql)
  }

  @usableFromInline
  static func trap(_ error: any Error) -> Never {
    preconditionFailure("\(error)")
  }
}
