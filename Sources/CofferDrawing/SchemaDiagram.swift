/// Tables as boxes, and foreign keys as arrows between them.
///
/// Names are text, and links are what the caller gives. It has no style of its own: the classes are
/// in the style sheet.
package enum SchemaDiagram {
  package struct Column: Sendable {
    var name: String
    /// As declared.
    var type = ""
    var isPrimaryKey = false

    package init(name: String, type: String = "", isPrimaryKey: Bool = false) {
      (self.name, self.type, self.isPrimaryKey) = (name, type, isPrimaryKey)
    }
  }

  package struct Table: Sendable {
    var name: String
    var columns: [Column]
    /// The address of the table's page.
    var address: String
    var foreignKeys: [ForeignKey] = []

    package init(
      name: String, columns: [Column], address: String, foreignKeys: [ForeignKey] = []
    ) {
      (self.name, self.columns, self.address) = (name, columns, address)
      self.foreignKeys = foreignKeys
    }
  }

  package struct ForeignKey: Sendable {
    var columns: [String]
    /// The table it leads to, in any case.
    var table: String
    /// The columns it leads to; empty for the primary key.
    var targets: [String] = []

    package init(columns: [String], table: String, targets: [String] = []) {
      (self.columns, self.table, self.targets) = (columns, table, targets)
    }
  }

  /// The most arrows that are drawn.
  static let arrowLimit = 600
  /// The most columns of a table that are drawn: those of keys first.
  static let columnLimit = 12

  private static let row = 20.0
  private static let header = 28.0
  private static let padding = 10.0
  /// The width of a character of the style sheet's font, which has one width.
  private static let character = 7.25

  /// The diagram of some tables as an image with links.
  package static func draw(tables: [Table]) -> HTML {
    let boxes = tables.map(Box.init)
    let index = Dictionary(
      zip(tables.map { key($0.name) }, tables.indices), uniquingKeysWith: { first, _ in first })
    var arrows: [(from: Int, to: Int, key: ForeignKey)] = []
    for (from, table) in tables.enumerated() {
      for foreignKey in table.foreignKeys {
        guard arrows.count < arrowLimit, let to = index[key(foreignKey.table)] else { continue }
        arrows.append((from, to, foreignKey))
      }
    }
    let layout = LayeredLayout(
      sizes: boxes.map(\.size), edges: arrows.map { (from: $0.from, to: $0.to) })
    let margin = 16.0
    let (width, height) = (layout.size.width + 2 * margin, layout.size.height + 2 * margin)
    let title = "\(tables.count) tables, \(arrows.count) foreign keys"
    return HTML.element("div", ["class": "diagram"]) {
      HTML.element(
        "svg",
        [
          "viewBox": "\(number(-margin)) \(number(-margin)) \(number(width)) \(number(height))",
          "width": number(width), "height": number(height), "role": "group",
          "aria-labelledby": "diagram-title diagram-text",
        ]
      ) {
        HTML.element("title", ["id": "diagram-title"]) { HTML.text("Tables and foreign keys") }
        HTML.element("desc", ["id": "diagram-text"]) { HTML.text(title) }
        arrowhead
        for (position, arrow) in arrows.enumerated() {
          draw(
            arrow.key, ends: "\(arrow.from) \(arrow.to)",
            from: (boxes[arrow.from], layout.origins[arrow.from]),
            to: (boxes[arrow.to], layout.origins[arrow.to]), bends: layout.bends[position])
        }
        for (index, box) in boxes.enumerated() {
          draw(box, number: index, at: layout.origins[index])
        }
      }
    }
  }

  /// A name as SQLite compares it: only ASCII's letters have no case.
  private static func key(_ name: String) -> String {
    String(decoding: name.utf8.map { 65...90 ~= $0 ? $0 | 32 : $0 }, as: UTF8.self)
  }

  // MARK: Boxes

  /// A table with the columns that are drawn.
  private struct Box {
    let table: Table
    let columns: [Column]
    let foreign: Set<String>
    let size: LayeredLayout.Size

    init(_ table: Table) {
      self.table = table
      let foreign = Set(table.foreignKeys.flatMap(\.columns).map(key))
      self.foreign = foreign
      let isKey = table.columns.map { $0.isPrimaryKey || foreign.contains(key($0.name)) }
      let chosen = table.columns.indices.sorted {
        isKey[$0] == isKey[$1] ? $0 < $1 : isKey[$0]
      }
      columns = chosen.prefix(columnLimit).sorted().map { table.columns[$0] }
      let lengths =
        columns.map { Drawing.cut($0.name, 24).count + Drawing.cut($0.type, 14).count + 4 }
        + [Drawing.cut(table.name, 30).count + 2, 14]
      let rows = columns.count + (columns.count < table.columns.count ? 1 : 0)
      size = LayeredLayout.Size(
        width: (Double(lengths.max() ?? 0) * character + 2 * padding).rounded(),
        height: header + Double(rows) * row + 6)
    }

    /// The middle of a column's row, from the top of the box; that of the header for others.
    func middle(of column: String?) -> Double {
      guard let column, let index = columns.firstIndex(where: { key($0.name) == key(column) })
      else { return header / 2 }
      return header + (Double(index) + 0.5) * row
    }
  }

  private static func draw(
    _ box: Box, number index: Int, at origin: LayeredLayout.Point
  ) -> HTML {
    let (width, table) = (box.size.width, box.table)
    let hidden = table.columns.count - box.columns.count
    return HTML.element(
      "a",
      [
        "href": table.address, "class": "box", "aria-label": "Table \(table.name)",
        "data-box": "\(index)",
      ]
    ) {
      HTML.element("g", ["transform": "translate(\(number(origin.x)) \(number(origin.y)))"]) {
        HTML.element("title") { HTML.text(table.name) }
        HTML.element(
          "rect", ["width": number(width), "height": number(box.size.height), "rx": "6"]
        )
        HTML.element("path", ["d": "M0 \(number(header))H\(number(width))"])
        Drawing.label(Drawing.cut(table.name, 30), x: padding, y: header / 2, class: "name")
        for (index, column) in box.columns.enumerated() {
          let y = header + (Double(index) + 0.5) * row
          let isForeign = box.foreign.contains(key(column.name))
          if column.isPrimaryKey || isForeign {
            HTML.element(
              "circle",
              [
                "cx": number(padding + 3), "cy": number(y), "r": "3",
                "class": column.isPrimaryKey ? "primary" : "foreign",
              ]
            )
          }
          Drawing.label(
            Drawing.cut(column.name, 24), x: padding + 14, y: y,
            class: column.isPrimaryKey ? "column key" : "column")
          Drawing.label(Drawing.cut(column.type, 14), x: width - padding, y: y, class: "type")
        }
        if hidden > 0 {
          Drawing.label(
            "and \(hidden) more", x: padding + 14,
            y: header + (Double(box.columns.count) + 0.5) * row, class: "type more")
        }
      }
    }
  }

  // MARK: Arrows

  private static let arrowhead = HTML.element("defs") {
    HTML.element(
      "marker",
      [
        "id": "arrowhead", "viewBox": "0 0 8 8", "refX": "8", "refY": "4", "markerWidth": "8",
        "markerHeight": "8", "orient": "auto-start-reverse",
      ]
    ) {
      HTML.element("path", ["d": "M0 0.5L8 4L0 7.5z"])
    }
  }

  private typealias Placed = (box: Box, origin: LayeredLayout.Point)

  /// A curve from the row of the first column to that of the column it leads to.
  private static func draw(
    _ foreignKey: ForeignKey, ends: String, from: Placed, to: Placed, bends: [LayeredLayout.Point]
  ) -> HTML {
    let target = foreignKey.targets.first ?? to.box.columns.first(where: \.isPrimaryKey)?.name
    let (startY, endY) = (
      from.origin.y + from.box.middle(of: foreignKey.columns.first),
      to.origin.y + to.box.middle(of: target)
    )
    let right = from.origin.x + from.box.size.width
    let path: String
    if from.box.table.name == to.box.table.name {
      // From a table to itself: a loop at its right side.
      let y = startY == endY ? from.origin.y + header / 2 : endY
      path = curve(
        [.init(x: right, y: startY), .init(x: right, y: y)], bulge: 28)
    } else if from.origin.x < to.origin.x {
      path = curve([.init(x: right, y: startY)] + bends + [.init(x: to.origin.x, y: endY)])
    } else {
      path = curve(
        [.init(x: from.origin.x, y: startY)] + bends
          + [.init(x: to.origin.x + to.box.size.width, y: endY)])
    }
    let columns = foreignKey.columns.joined(separator: ", ")
    return HTML.element(
      "path", ["class": "arrow", "d": path, "data-ends": ends, "marker-end": "url(#arrowhead)"]
    ) {
      HTML.element("title") {
        HTML.text("\(from.box.table.name) (\(columns)) → \(to.box.table.name)")
      }
    }
  }

  /// Curves that are level at each point.
  private static func curve(_ points: [LayeredLayout.Point], bulge: Double = 0) -> String {
    var path = "M\(number(points[0].x)) \(number(points[0].y))"
    for (start, end) in zip(points, points.dropFirst()) {
      let reach = bulge > 0 ? bulge : (end.x - start.x) / 2
      let back = bulge > 0 ? end.x + bulge : end.x - reach
      path += "C\(number(start.x + reach)) \(number(start.y)) \(number(back)) \(number(end.y))"
      path += " \(number(end.x)) \(number(end.y))"
    }
    return path
  }

  /// A coordinate with a decimal place.
  private static func number(_ value: Double) -> String { Drawing.number(value) }
}
