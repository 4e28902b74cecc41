/// Names that C functions get, which end at the first NUL.
package enum CName {
  /// Whether C sees all of the name.
  package static func isWhole(_ name: String) -> Bool { !name.utf8.contains(0) }

  /// Throws if a C function would take only the beginning of a name.
  package static func check(_ name: String, _ subject: String = "path") throws(DatabaseError) {
    guard !isWhole(name) else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "the \(subject) has a NUL character",
      hint: "Everything after it would be ignored.")
  }
}
