import Coffer
import CofferDrawing

/// JSON as a tree that opens and closes, read by SQLite in its order.
enum JSONTree {
  private static let limit = (nodes: 2_000, depth: 40)

  /// Nil if the text is no object or array of JSON, or if this SQLite knows none.
  static func draw(_ text: String, _ db: Database) -> HTML? {
    guard ["{", "["].contains(text.first { !$0.isWhitespace }),
      let rows = try? Row.fetchAll(
        db,
        sql: "SELECT id, parent, key, type, atom FROM json_tree(?) LIMIT \(limit.nodes + 1)",
        arguments: [text])
    else { return nil }
    let children = Dictionary(grouping: rows.prefix(limit.nodes)) { $0["parent"] as Int? }
    guard let root = children[nil]?.first else { return nil }
    return HTML.element("div", ["class": "tree"]) {
      node(root, children, depth: 0)
      if rows.count > limit.nodes {
        HTML.element("p", ["class": "notice"]) { "The rest isn't shown." }
      }
    }
  }

  private static func node(_ row: Row, _ children: [Int?: [Row]], depth: Int) -> HTML {
    let type: String = row["type"]
    let key: DatabaseValue = row["key"]
    let name = key.isNull ? "" : ShownValue.whole(key) + ": "
    guard type == "object" || type == "array" else {
      return HTML.element("div") {
        name
        HTML.element("span", ["class": type == "null" ? "null" : type == "text" ? nil : "number"]) {
          ["null", "true", "false"].contains(type) ? type : ShownValue.whole(row["atom"])
        }
      }
    }
    let inner = children[row["id"]] ?? []
    return HTML.element("details", ["open": depth < 2 ? "" : nil]) {
      HTML.element("summary") {
        name + (type == "object" ? "{\(inner.count)}" : "[\(inner.count)]")
      }
      if depth < limit.depth {
        HTML.element("ul") {
          for child in inner {
            HTML.element("li") { node(child, children, depth: depth + 1) }
          }
        }
      } else {
        "…"
      }
    }
  }
}
