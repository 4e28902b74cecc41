import CofferCore

extension String {
  /// The string as an SQL literal, with single quotes doubled.
  var quotedSQLString: String {
    var quoted = "'"
    for scalar in unicodeScalars {
      if scalar == "'" { quoted.unicodeScalars.append(scalar) }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "'"
  }

  /// The string as a column name in the arguments of a full-text module, quoted if necessary.
  var fullTextColumnName: String {
    func isWordByte(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF:
        return true
      default: return false
      }
    }
    let isWord = !isEmpty && utf8.allSatisfy(isWordByte)
    let beginsWithDigit = utf8.first.map { (0x30...0x39).contains($0) } ?? false
    // FTS3 and FTS4 take an argument that begins with it as their option.
    let isOption = lowercased() == "tokenize"
    return isWord && !beginsWithDigit && !isOption ? self : quotedDatabaseIdentifier
  }
}

/// Returns the words of a text, as the simplest tokenizers find them.
///
/// These are `simple` of FTS3 and FTS4, and `ascii` of FTS5. Words consist of ASCII letters,
/// converted to lower case, ASCII digits, and all non-ASCII characters. They contain no query
/// syntax, so that patterns can be built from them.
func asciiTokens(_ string: String) -> [String] {
  var tokens: [String] = []
  var token: [UInt8] = []
  for byte in string.utf8 {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): token.append(byte | 0x20)
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      0x80...0xFF:
      token.append(byte)
    default:
      if !token.isEmpty { tokens.append(String(decoding: token, as: UTF8.self)) }
      token.removeAll(keepingCapacity: true)
    }
  }
  if !token.isEmpty { tokens.append(String(decoding: token, as: UTF8.self)) }
  return tokens
}

extension Database {
  /// Rebuilds the index from the content table.
  func rebuildFullTextTable(_ tableName: String) throws {
    let table = tableName.quotedDatabaseIdentifier
    try execute(sql: "INSERT INTO \(table)(\(table)) VALUES('rebuild')")
  }

  /// Returns the column that is an alias of the table's rowid; nil if there is none.
  func fullTextRowIDColumn(of tableName: String) throws -> String? {
    let rows = try Row.fetchAll(
      self, sql: "PRAGMA table_info(\(tableName.quotedDatabaseIdentifier))")
    guard !rows.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "no such table: \(tableName)",
        hint: "Create the table before the full-text table that is synchronized with it.")
    }
    let key = rows.filter { ($0["pk"] as Int) > 0 }
    guard key.count == 1, let type = key[0]["type"] as String?, type.uppercased() == "INTEGER"
    else { return nil }
    return key[0]["name"]
  }
}
