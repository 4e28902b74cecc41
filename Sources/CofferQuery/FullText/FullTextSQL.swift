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
  /// The synchronization of a full-text table with its content table.
  struct FullTextSynchronization {
    var tableName: String
    var contentTable: String
    var columns: [String]
    /// The column of the content table that is its rowid.
    var rowID: String
    var ifNotExists: Bool

    /// `CREATE TRIGGER "__table_ai" AFTER INSERT ON "content" BEGIN … END`
    func trigger(_ suffix: String, _ event: String, _ statements: [String]) -> String {
      let name = Database.synchronizationTrigger(of: tableName, suffix)
      return """
        CREATE TRIGGER \(ifNotExists ? "IF NOT EXISTS " : "")\(name) \(event) \
        ON \(contentTable.quotedDatabaseIdentifier) BEGIN
            \(statements.map { $0 + ";" }.joined(separator: "\n    "))
        END
        """
    }

    /// `row."id", row."title", …`, for `new` or `old`.
    func values(of row: String) -> String {
      ([rowID] + columns).map { "\(row).\($0.quotedDatabaseIdentifier)" }.joined(separator: ", ")
    }
  }

  static func synchronizationTrigger(of tableName: String, _ suffix: String) -> String {
    "__\(tableName)_\(suffix)".quotedDatabaseIdentifier
  }

  /// Rebuilds the index from the content table.
  func rebuildFullTextTable(_ tableName: String) throws {
    let table = tableName.quotedDatabaseIdentifier
    try execute(sql: "INSERT INTO \(table)(\(table)) VALUES('rebuild')")
  }

  func dropSynchronizationTriggers(of tableName: String, _ suffixes: [String]) throws {
    for suffix in suffixes {
      let name = Database.synchronizationTrigger(of: tableName, suffix)
      try execute(sql: "DROP TRIGGER IF EXISTS \(name)")
    }
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
