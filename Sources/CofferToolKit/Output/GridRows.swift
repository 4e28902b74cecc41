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
  /// Whether a cell has several lines.
  private var hasLines = false

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
      let cell = Self.cell(ValueText.shown(row, index), style)
      if cell.utf8.contains(0x0A) { hasLines = true }
      cells.append(cell)
    }
    rows.append(cells)
    if output.isStyled { nulls.append(areNull) }
  }

  /// The text of a cell: in one line in Markdown, whose rows are lines.
  private static func cell(_ text: String, _ style: Style) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "|") || $0 >= 0x7F }) else {
      return text
    }
    let lines = text.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }
    ).map { expandingTabs($0).printable }
    if style.isMarkdown { return lines.joined(separator: " ").replacing("|", with: "\\|") }
    return (lines.last == "" ? lines.dropLast() : lines[...]).joined(separator: "\n")
  }

  /// Tabs as spaces, up to the next multiple of 8.
  private static func expandingTabs(_ line: Substring) -> String {
    guard line.utf8.contains(0x09) else { return String(line) }
    return line.split(separator: "\t", omittingEmptySubsequences: false).dropFirst()
      .reduce(line.prefix { $0 != "\t" }.description) { text, part in
        text + String(repeating: " ", count: 8 - text.terminalWidth % 8) + part
      }
  }

  func end() {
    // As SQLite's shell: without rows there is nothing.
    guard !rows.isEmpty else { return }
    var widths = columns.indices.map { index in
      rows.reduce(columns[index].terminalWidth) { width, row in
        guard hasLines else { return max(width, row[index].terminalWidth) }
        let widths = row[index].split(separator: "\n").map { String($0).terminalWidth }
        return max(width, widths.max() ?? 0)
      }
    }
    if output.isTerminal, !style.isMarkdown, !fit(&widths) { return writeLines() }
    if let top = style.top { rule(top, widths) }
    line(columns.indices.map { centered(columns[$0], widths[$0]) })
    for (number, row) in rows.enumerated() {
      // Rows of several lines are told apart by rules.
      if number == 0 || hasLines { rule(style.middle, widths) }
      guard hasLines else {
        line(number, row, widths)
        continue
      }
      let cells = row.map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      for index in 0..<(cells.map(\.count).max() ?? 0) {
        line(number, cells.map { $0.indices.contains(index) ? String($0[index]) : "" }, widths)
      }
    }
    if let bottom = style.bottom { rule(bottom, widths) }
  }

  private func line(_ number: Int, _ row: [String], _ widths: [Int]) {
    line(
      row.indices.map { index in
        let text = row[index].cut(to: widths[index]).padded(to: widths[index])
        return output.isStyled && nulls[number][index] ? "\u{1B}[2m\(text)\u{1B}[0m" : text
      })
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
        let text = row[index].replacing("\n", with: " ")
        output.line((name.paddedLeft(to: width) + " = " + text).cut(to: output.width))
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
