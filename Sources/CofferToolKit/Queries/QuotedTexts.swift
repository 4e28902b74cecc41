import Coffer
import CofferCore

// SQLite once took "…" for a text where it names no column, and still does in schemas of that time.
// What makes them anew is refused by Coffer, and by others that follow SQLite's advice.
// https://sqlite.org/quirks.html#double_quoted_string_literals_are_accepted

extension SchemaObject {
  /// Returns the same table or index, with `'…'` for the texts in its expressions that are written
  /// `"…"`.
  ///
  /// - Parameter columns: The columns of the table, the only names that the expressions can have.
  func withQuotedTexts(columns: [String]) -> SchemaObject {
    guard let sql, sql.contains("\"") else { return self }
    let known = Set((columns + ["rowid", "_rowid_", "oid"]).map { SQLName($0) })
    let words = SQLWord.words(of: sql)
    let text = Array(sql.utf8)
    var (result, end) = ([UInt8](), 0)
    for index in expressionIndices(words) {
      let word = words[index]
      guard word.kind == .quotedIdentifier, text[word.range.lowerBound] == UInt8(ascii: "\""),
        !known.contains(SQLName(word.text))
      else { continue }
      let (previous, next) = (words.prefix(index).last, words.dropFirst(index + 1).first)
      if previous?.kind == .dot || next?.kind == .dot || next?.kind == .leftParenthesis { continue }
      if let previous, ["COLLATE", "AS"].contains(where: previous.isKeyword) { continue }
      result += text[end..<word.range.lowerBound]
      result += "'\(word.text.replacing("'", with: "''"))'".utf8
      end = word.range.upperBound
    }
    guard end > 0 else { return self }
    result += text[end...]
    return SchemaObject(
      kind: kind, name: name, table: table, sql: String(decoding: result, as: UTF8.self))
  }

  /// The words that belong to expressions: after `CHECK` and `AS` of a table, and in the list and
  /// the condition of an index.
  private func expressionIndices(_ words: [SQLWord]) -> [Int] {
    var (depth, inside) = (0, kind == "index" ? 1 : Int.max)
    var isCondition = false
    return words.indices.filter { index in
      let word = words[index]
      switch word.kind {
      case .leftParenthesis:
        depth += 1
        if kind == "table", depth > 1, depth < inside, index > 0,
          ["CHECK", "AS"].contains(where: words[index - 1].isKeyword)
        {
          inside = depth
        }
      case .rightParenthesis:
        depth -= 1
        if kind == "table", depth < inside { inside = .max }
      default: isCondition = isCondition || kind == "index" && word.isKeyword("WHERE")
      }
      return depth >= inside || isCondition
    }
  }
}
