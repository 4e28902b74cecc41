import CofferSQLite

/// SQLite's checks of a database's structure, `PRAGMA integrity_check` and `quick_check`.
///
/// They report a page that can't be read as if it were damaged.
package enum StructureCheck {
  /// How many bytes of pages a connection that checks keeps at most: each row is looked up in each
  /// index.
  package static let cacheSize = 32 << 20

  /// Throws if findings come from a failure to read the file, which says nothing about its content.
  package static func requireReadable(_ findings: [String], path: String) throws {
    guard findings != ["ok"], !path.isEmpty, path != ":memory:" else { return }
    for finding in findings {
      guard let code = finding.range(of: "error code=") else { continue }
      let digits = finding[code.upperBound...].prefix { $0.isASCII && $0.isNumber }
      let result = ResultCode(rawValue: Int32(digits) ?? 0)
      // A short read is what a truncated file gives.
      if result.primaryResultCode == .SQLITE_IOERR, result != .SQLITE_IOERR_SHORT_READ {
        throw failure(result, path, finding)
      }
    }
    // Not all findings have a code.
    for file in [path, path + "-wal"] where PendingFile.size(of: file) ?? 0 > 0 {
      do {
        try ReadOnlyFile(path: file).readAll()
      } catch {
        throw failure(.SQLITE_IOERR, file, error.reason)
      }
    }
  }

  private static func failure(
    _ code: ResultCode, _ path: String, _ reason: String
  ) -> DatabaseError {
    DatabaseError(
      resultCode: code, message: "could not read \(path): \(reason)",
      hint: "This says nothing about its content: check the disk.")
  }
}

extension FileConnection {
  /// Runs a check of the structure.
  ///
  /// - Returns: What is wrong; empty if nothing is.
  /// - Throws: An error with the code `SQLITE_IOERR` if the file can't be read.
  package func findings(_ pragma: String, at path: String) throws -> [String] {
    func check() throws -> [String] {
      let findings = try rows(pragma).compactMap(\.first)
      try StructureCheck.requireReadable(findings, path: path)
      return findings == ["ok"] ? [] : findings
    }
    try run("PRAGMA main.cache_size = -\(StructureCheck.cacheSize >> 10)")
    let findings = try check()
    // A failure to read that doesn't come again has left its finding.
    return findings.isEmpty ? [] : try check()
  }
}
