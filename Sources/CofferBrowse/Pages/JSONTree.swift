import Coffer
import CofferDrawing

/// JSON as a tree that opens and closes, read by SQLite in its order.
enum JSONTree {
  private static let limit = (nodes: 2_000, depth: 40)

  /// Nil if the text is no JSON, or if this SQLite knows none.
  static func draw(_ text: String, _ db: Database) -> HTML? {
    guard
      let rows = try? Row.fetchAll(
        db,
        sql: "SELECT id, parent, key, type, atom FROM json_tree(?) LIMIT \(limit.nodes + 1)",
        arguments: [text])
    else { return nil }
    var children: [Int: [Row]] = [:]
    for row in rows.prefix(limit.nodes) {
      children[row["parent"] as Int? ?? -1, default: []].append(row)
    }
    guard let root = children[-1]?.first else { return nil }
    return HTML.element("div", ["class": "tree"]) {
      node(root, children, depth: 0)
      if rows.count > limit.nodes {
        HTML.element("p", ["class": "notice"]) { "The rest isn't shown." }
      }
    }
  }

  private static func node(_ row: Row, _ children: [Int: [Row]], depth: Int) -> HTML {
    let type: String = row["type"]
    let name = (row["key"] as DatabaseValue).isNull ? "" : "\(text(row["key"])): "
    guard type == "object" || type == "array" else {
      return HTML.element("div") {
        name
        HTML.element("span", ["class": type == "null" ? "null" : type == "text" ? nil : "number"]) {
          type == "null" ? "null" : type == "true" || type == "false" ? type : text(row["atom"])
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

  private static func text(_ value: DatabaseValue) -> String {
    String.fromDatabaseValue(value) ?? ShownValue(value).text.text
  }
}
