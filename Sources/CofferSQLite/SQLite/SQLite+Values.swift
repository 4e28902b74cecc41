import CSQLCipher

extension SQLite {
  /// Returns SQLite's description of a primary or extended result code.
  package static func errorString(_ code: CInt) -> String {
    // SAFETY: a constant of the library, which is never freed.
    guard let text = unsafe sqlite3_errstr(code) else { return "unknown error" }
    return unsafe String(cString: text)
  }

  /// Binds a copy of the text, which is UTF-8.
  @inlinable
  @safe package static func bindText(
    _ utf8: UnsafeRawBufferPointer, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    // SAFETY: an empty buffer can have no address, which SQLite would bind as NULL.
    guard let start = utf8.baseAddress else {
      return unsafe coffer_bind_text_copy(statement, index, "", 0)
    }
    return unsafe coffer_bind_text_copy(
      statement, index, start.assumingMemoryBound(to: CChar.self), UInt64(utf8.count))
  }

  /// The code of a conversion that produces no storable value.
  @inlinable package static var mismatch: CInt { SQLITE_MISMATCH }
}

extension SQLite {
  /// Binds text without copying it: the bytes must outlive the binding.
  @safe package static func bindStaticText(
    _ utf8: UnsafeRawBufferPointer, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    guard let start = utf8.baseAddress else { return SQLITE_MISUSE }
    return unsafe coffer_bind_text_static(
      statement, index, start.assumingMemoryBound(to: CChar.self), UInt64(utf8.count))
  }

  /// Binds text of a database without copying it: the bytes must outlive the binding.
  ///
  /// - Parameter encoding: SQLite's number of the text's encoding.
  @safe package static func bindStaticText(
    _ text: UnsafeRawBufferPointer, encoding: UInt8, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    guard let start = text.baseAddress, unsafe !text.isEmpty else {
      return bindText(text, to: statement, at: index)
    }
    // SAFETY: the address is passed with its length; nil is SQLITE_STATIC.
    return unsafe sqlite3_bind_text64(
      statement, index, start.assumingMemoryBound(to: CChar.self), UInt64(text.count), nil,
      encoding)
  }

  /// Binds bytes without copying them: they must outlive the binding.
  @inlinable
  @safe package static func bindStaticBlob(
    _ bytes: UnsafeRawBufferPointer, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    unsafe coffer_bind_blob_static(statement, index, bytes.baseAddress, UInt64(bytes.count))
  }
}
