import CofferVault

/// What the SQL of a virtual table says of its module.
package struct VirtualTableDefinition {
  /// A word of the module's arguments.
  package struct Argument {
    /// The option in lower case; nil for the name of a column.
    package let option: String?
    /// Without quotes.
    package let value: String
    fileprivate let range: Range<Int>
  }

  private let sql: String
  /// The start of `USING`, in UTF-8 bytes.
  private let start: Int
  /// In lower case; empty if the SQL has none.
  package let module: String
  package let arguments: [Argument]

  package init(_ sql: String) {
    self.sql = sql
    let words = SQLWord.words(of: sql)
    let using = words.firstIndex { $0.isKeyword("USING") }
    start = using.map { words[$0].range.lowerBound } ?? sql.utf8.count
    let rest = words[(using.map { $0 + 1 } ?? words.endIndex)...]
    module = rest.first.map { $0.text.lowercased() } ?? ""
    arguments = rest.firstList().elements.compactMap { words in
      guard let first = words.first else { return nil }
      guard words.count > 2, words[words.startIndex + 1].text == "=" else {
        return Argument(option: nil, value: first.text, range: first.range)
      }
      let value = words[words.startIndex + 2]
      return Argument(option: first.text.lowercased(), value: value.text, range: value.range)
    }
  }

  /// The values of the arguments of the form `name=value`; the names are in lower case.
  package var options: [String: String] {
    var options: [String: String] = [:]
    for argument in arguments {
      if let option = argument.option { options[option] = argument.value }
    }
    return options
  }

  /// The other arguments: columns' names, or tables' names and words of the module.
  var names: [String] { arguments.filter { $0.option == nil }.map(\.value) }

  /// Returns `USING …` with other values of some arguments; nil leaves one as it is.
  package func moduleSQL(replacing value: (Argument) -> String?) -> String {
    var bytes = Array(sql.utf8)
    for argument in arguments.reversed() {
      guard let value = value(argument) else { continue }
      bytes.replaceSubrange(argument.range, with: value.utf8)
    }
    return String(decoding: bytes[start...], as: UTF8.self)
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
