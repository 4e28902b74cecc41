import CSQLCipher

extension SQLite {
  /// SQLite's words for a result code, primary or extended.
  package static func errorString(_ code: CInt) -> String {
    // SAFETY: a constant of the library, never freed.
    guard let text = sqlite3_errstr(code) else { return "unknown error" }
    return String(cString: text)
  }

  /// Binds a copy of the text, which is UTF-8.
  @inlinable
  package static func bindText(
    _ utf8: UnsafeRawBufferPointer, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    // SAFETY: an empty buffer may have no address, which SQLite takes for NULL.
    guard let start = utf8.baseAddress else {
      return coffer_bind_text_copy(statement, index, "", 0)
    }
    return coffer_bind_text_copy(
      statement, index, start.assumingMemoryBound(to: CChar.self), UInt64(utf8.count))
  }

  /// What a conversion to a Swift value reports where none can be stored.
  @inlinable package static var mismatch: CInt { SQLITE_MISMATCH }
}

extension SQLite {
  /// Binds text without a copy of it: the bytes have to outlive the binding.
  package static func bindStaticText(
    _ utf8: UnsafeRawBufferPointer, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    guard let start = utf8.baseAddress else { return SQLITE_MISUSE }
    return coffer_bind_text_static(
      statement, index, start.assumingMemoryBound(to: CChar.self), UInt64(utf8.count))
  }
}
