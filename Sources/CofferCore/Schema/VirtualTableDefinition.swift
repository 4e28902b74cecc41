/// What the SQL of a virtual table says of its module.
package struct VirtualTableDefinition {
  /// In lower case; empty if the SQL has none.
  package let module: String
  /// The arguments of the form `name=value`: the names in lower case, the values without quotes.
  package private(set) var options: [String: String] = [:]
  /// The first words of the other arguments, without quotes.
  private(set) var arguments: [String] = []

  package init(_ sql: String) {
    var sql = sql
    let words = sql.withUTF8 { utf8 in
      SQLTokenizer(utf8).filter(\.isSignificant).map { token in
        (kind: token.kind, bytes: unsafe Array(utf8[token.range]))
      }
    }
    func text(_ word: (kind: SQLTokenizer.Kind, bytes: [UInt8])) -> String {
      let isQuoted = word.kind == .string || word.kind == .quotedIdentifier
      let bytes = isQuoted ? WrittenFileName.unquoted(word.bytes) : word.bytes
      return String(decoding: bytes, as: UTF8.self)
    }
    let using = words.firstIndex { $0.kind == .word && text($0).lowercased() == "using" }
    let rest = Array(words[(using.map { $0 + 1 } ?? words.count)...])
    module = rest.first.map { text($0).lowercased() } ?? ""
    var depth = 0
    for (index, word) in rest.enumerated() {
      switch word.kind {
      case .leftParenthesis: depth += 1
      case .rightParenthesis: depth -= 1
      default: break
      }
      guard depth == 1, word.kind == .leftParenthesis || word.kind == .comma,
        index + 1 < rest.count
      else { continue }
      if index + 3 < rest.count, text(rest[index + 2]) == "=" {
        options[text(rest[index + 1]).lowercased()] = text(rest[index + 3])
      } else {
        arguments.append(text(rest[index + 1]))
      }
    }
  }

  /// Whether a full-text table is given the option `content`, and makes no table for it.
  var hasExternalContent: Bool { module.hasPrefix("fts") && options["content"] != nil }

  /// The ends of the names of the tables that the module makes.
  var parts: [String] {
    switch module {
    case "fts3", "fts4": ["content", "segments", "segdir", "docsize", "stat"]
    case "fts5": ["data", "idx", "content", "docsize", "config"]
    case "rtree", "rtree_i32", "geopoly": ["node", "rowid", "parent"]
    default: []
    }
  }
}
