import Coffer

/// SQL that a person has typed.
enum ReadOnlySQL {
  /// Throws unless a text can only read: before SQLite compiles it, since some pragmas act then.
  static func check(_ sql: String) throws {
    var words = Words(rest: sql.utf8[...])
    var word = words.next()
    if word == "EXPLAIN" {
      word = words.next()
      if word == "QUERY", words.next() == "PLAN" { word = words.next() }
    }
    guard ["SELECT", "WITH", "VALUES"].contains(word) else {
      throw BrowseError.refused(
        "Only SELECT, WITH, VALUES and EXPLAIN of these are run here: nothing is changed, attached or set."
      )
    }
  }

  /// The words at the beginning, in capitals; nil for anything else.
  private struct Words {
    var rest: Substring.UTF8View

    mutating func next() -> String? {
      skipSpace()
      let word = rest.prefix { byte in
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
      }
      rest = rest.dropFirst(word.count)
      return word.isEmpty ? nil : String(word)?.uppercased()
    }

    /// Spaces and comments, as SQLite knows them.
    private mutating func skipSpace() {
      while let byte = rest.first {
        if [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) {
          rest.removeFirst()
        } else if rest.starts(with: "--".utf8) {
          rest = rest.drop { $0 != 0x0A }
        } else if rest.starts(with: "/*".utf8) {
          rest = rest.dropFirst(2)
          while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
          rest = rest.dropFirst(2)
        } else {
          return
        }
      }
    }
  }
}
