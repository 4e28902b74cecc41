extension String {
  /// The string as an SQL identifier: in double quotes, its own doubled.
  ///
  /// Always quoted, so that keywords, spaces and case are no matter. SQLite
  /// refuses a name that holds a NUL character.
  public var quotedDatabaseIdentifier: String {
    var quoted = "\""
    quoted.reserveCapacity(utf8.count + 2)
    for scalar in unicodeScalars {
      if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
      quoted.unicodeScalars.append(scalar)
    }
    quoted.unicodeScalars.append("\"")
    return quoted
  }
}

/// The text of so many positional parameters, as in `?,?,?`; empty for zero.
/// - Precondition: `count` is not negative.
public func databaseQuestionMarks(count: Int) -> String {
  precondition(count >= 0, "count is negative")
  return count == 0 ? "" : "?" + String(repeating: ",?", count: count - 1)
}
