/// A table with titles and aligned columns.
struct TextTable {
  struct Column {
    var title: String
    var isNumber: Bool

    /// Returns a column of text, which is cut if there isn't enough space.
    static func text(_ title: String) -> Column { Column(title: title, isNumber: false) }

    /// Returns a column of numbers, which are at the right, and never cut.
    static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }
  }

  let columns: [Column]
  private(set) var rows: [[String]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row with a cell for each column.
  mutating func append(_ row: [String]) {
    rows.append(row)
  }

  /// Returns the titles, a rule and the rows. Text is cut to fit `width` if possible.
  func lines(width: Int) -> [String] {
    let widths = widths(in: width)
    let rule = widths.map { String(repeating: "─", count: $0) }
    return [line(columns.map(\.title), widths), rule.joined(separator: "  ")]
      + rows.map { line($0, widths) }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    let cells = columns.indices.map { index in
      columns[index].isNumber
        ? cells[index].paddedLeft(to: widths[index])
        : cells[index].cut(to: widths[index]).padded(to: widths[index])
    }
    let line = cells.joined(separator: "  ")
    return String(line.reversed().drop { $0 == " " }.reversed())
  }

  /// The widest text column shrinks first, so that narrow ones stay whole.
  private func widths(in width: Int) -> [Int] {
    var widths = columns.indices.map { index in
      ([columns[index].title] + rows.map { $0[index] }).map(\.count).max() ?? 0
    }
    let texts = columns.indices.filter { !columns[$0].isNumber }
    while widths.reduce(2 * (widths.count - 1), +) > width,
      let widest = texts.max(by: { widths[$0] < widths[$1] }), widths[widest] > 6
    {
      widths[widest] -= 1
    }
    return widths
  }
}
