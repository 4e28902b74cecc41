import CSQLCipher
import CofferVault

extension SQLite {
  /// Reads a part of a stored text or blob, without the rest of it.
  ///
  /// - Returns: Fewer bytes than `count` at the value's end, and its whole size in bytes.
  /// - Throws: `SQLITE_ERROR` if there is no such row or the value is neither text nor blob.
  @safe static func readBlob(
    _ connection: SQLiteConnection, schema: String, table: String, column: String, rowID: Int64,
    from offset: Int, count: Int
  ) throws(Failure) -> (bytes: [UInt8], size: Int) {
    var blob: OpaquePointer?
    var code = unsafe sqlite3_blob_open(connection, schema, table, column, rowID, 0, &blob)
    // SAFETY: also after a failure, where it is nil or has to be closed, too.
    defer { unsafe sqlite3_blob_close(blob) }
    guard code == SQLITE_OK else { throw Failure(code: code) }
    let size = unsafe Int(sqlite3_blob_bytes(blob))
    let start = min(max(offset, 0), size)
    let length = min(max(count, 0), size - start)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
      // SAFETY: the buffer has room for `length` bytes, which a success fills.
      if length > 0 {
        code = unsafe sqlite3_blob_read(blob, buffer.baseAddress, CInt(length), CInt(start))
      }
      initialized = code == SQLITE_OK ? length : 0
    }
    guard code == SQLITE_OK else { throw Failure(code: code) }
    return (bytes, size)
  }
}
