import Coffer

/// Rows in columns: a table of `+` and `-`, a box, or Markdown.
///
/// On a terminal the text columns shrink until a line fits.
struct GridRows: RowFormat {
  /// The lines around the cells.
  struct Style {
    /// The left end, the line, the crossing and the right end of the rule above the names.
    var top: [String]?
    var middle: [String]
    var bottom: [String]?
    var bar: String
    var isMarkdown = false

    static let table = Style(
      top: ["+", "-", "+", "+"], middle: ["+", "-", "+", "+"], bottom: ["+", "-", "+", "+"],
      bar: "|")
    static let box = Style(
      top: ["┌", "─", "┬", "┐"], middle: ["├", "─", "┼", "┤"], bottom: ["└", "─", "┴", "┘"],
      bar: "│")
    static let markdown = Style(middle: ["|", "-", "|", "|"], bar: "|", isMarkdown: true)
  }

  private static let narrowest = 5

  private let columns: [String]
  private let style: Style
  private let output: ByteOutput
  private var rows: [[String]] = []
  /// Which cells are NULL, and dim.
  private var nulls: [[Bool]] = []
  private var isFixed: [Bool]

  init(_ columns: [String], _ style: Style, to output: ByteOutput) {
    self.columns = columns.map { Self.cell($0, style) }
    self.style = style
    self.output = output
    isFixed = columns.map { _ in true }
  }

  func begin() {}

  mutating func add(_ row: Row) throws {
    var cells: [String] = []
    var areNull: [Bool] = []
    for index in columns.indices {
      let value = row[index] as DatabaseValue
      switch value.storage {
      case .string, .blob: isFixed[index] = false
      default: break
      }
      areNull.append(value.isNull)
      cells.append(Self.cell(ValueText.shown(row, index), style))
    }
    rows.append(cells)
    if output.isStyled { nulls.append(areNull) }
  }

  private static func cell(_ text: String, _ style: Style) -> String {
    let text = text.printable
    return style.isMarkdown ? text.replacing("|", with: "\\|") : text
  }

  func end() {
    // As SQLite's shell: without rows there is nothing.
    guard !rows.isEmpty else { return }
    var widths = columns.indices.map { index in
      rows.reduce(columns[index].terminalWidth) { max($0, $1[index].terminalWidth) }
    }
    if output.isTerminal, !style.isMarkdown, !fit(&widths) { return writeLines() }
    if let top = style.top { rule(top, widths) }
    line(columns.indices.map { centered(columns[$0], widths[$0]) })
    rule(style.middle, widths)
    for (number, row) in rows.enumerated() {
      line(
        columns.indices.map { index in
          let text = row[index].cut(to: widths[index]).padded(to: widths[index])
          return output.isStyled && nulls[number][index] ? "\u{1B}[2m\(text)\u{1B}[0m" : text
        })
    }
    if let bottom = style.bottom { rule(bottom, widths) }
  }

  /// Shrinks the text columns to the window; returns false if there are too many columns.
  private func fit(_ widths: inout [Int]) -> Bool {
    var excess = widths.reduce(3 * widths.count + 1, +) - output.width
    while excess > 0 {
      let widest = widths.indices.filter { !isFixed[$0] || widths[$0] > 20 }
        .max { widths[$0] < widths[$1] }
      guard let widest, widths[widest] > Self.narrowest else { return false }
      widths[widest] -= 1
      excess -= 1
    }
    return true
  }

  /// Writes a line for each value, where a window is too narrow for columns.
  private func writeLines() {
    let width = columns.map(\.terminalWidth).max() ?? 0
    for row in rows {
      for (index, name) in columns.enumerated() {
        output.line((name.paddedLeft(to: width) + " = " + row[index]).cut(to: output.width))
      }
      output.line("")
    }
  }

  private func centered(_ text: String, _ width: Int) -> String {
    let text = text.cut(to: width)
    let rest = width - text.terminalWidth
    return String(repeating: " ", count: rest / 2) + text
      + String(repeating: " ", count: rest - rest / 2)
  }

  private func rule(_ ends: [String], _ widths: [Int]) {
    let parts = widths.map { String(repeating: ends[1], count: $0 + 2) }
    output.line(ends[0] + parts.joined(separator: ends[2]) + ends[3])
  }

  private func line(_ cells: [String]) {
    output.line(
      style.bar + " " + cells.joined(separator: " " + style.bar + " ") + " " + style.bar)
  }
}

/// Rows with a line for each value.
struct LineRows: RowFormat {
  private let names: [String]
  private let output: ByteOutput
  private var isFirst = true

  init(_ columns: [String], to output: ByteOutput) {
    let width = max(5, columns.map(\.terminalWidth).max() ?? 0)
    names = columns.map { $0.paddedLeft(to: width) + " = " }
    self.output = output
  }

  func begin() {}

  mutating func add(_ row: Row) throws {
    if !isFirst { output.line("") }
    isFirst = false
    for (index, name) in names.enumerated() {
      let text = ValueText.shown(row, index)
      output.line(name + (output.isTerminal ? text.printable : text))
    }
  }

  func end() {}
}

/// Rows as `INSERT` statements.
struct SQLRows: RowFormat {
  private let start: String
  private let count: Int
  private let output: ByteOutput

  init(table: String, _ columns: [String], to output: ByteOutput) {
    let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ",")
    start = "INSERT INTO \(table.quotedDatabaseIdentifier)(\(names)) VALUES("
    count = columns.count
    self.output = output
  }

  func begin() {}

  func add(_ row: Row) throws {
    output.append(start)
    for index in 0..<count {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      output.append(ValueText.sql(row[index]))
    }
    output.line(");")
  }

  func end() {}
}
