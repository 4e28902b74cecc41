extension String {
  /// The string as a quoted SQL identifier, with double quotes doubled.
  ///
  /// It is always quoted, so that keywords, spaces and upper case are possible. SQLite rejects a
  /// name with a NUL character.
  public var quotedDatabaseIdentifier: String {
    var quoted = "\""
    quoted.reserveCapacity(utf8.count + 2)
    guard utf8.contains(UInt8(ascii: "\"")) else {
      quoted += self
      quoted += "\""
      return quoted
    }
    for scalar in unicodeScalars {
      if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
      quoted.unicodeScalars.append(scalar)
    }
    quoted.unicodeScalars.append("\"")
    return quoted
  }
}

/// Returns positional parameters, such as `?,?,?`; an empty string for zero.
/// - Precondition: `count` is not negative.
public func databaseQuestionMarks(count: Int) -> String {
  precondition(count >= 0, "count is negative")
  return count == 0 ? "" : "?" + String(repeating: ",?", count: count - 1)
}
