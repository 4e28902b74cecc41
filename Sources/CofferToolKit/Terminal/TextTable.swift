/// A table with titles and aligned columns.
struct TextTable {
  /// A column.
  struct Column {
    var title: String
    var isNumber: Bool

    /// Returns a column of text, which is cut if there isn't enough space.
    static func text(_ title: String) -> Column { Column(title: title, isNumber: false) }

    /// Returns a column of numbers, which are never cut.
    static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }
  }

  private static let gap = "  "
  private static let narrowest = 6

  private let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row. Missing cells are empty.
  mutating func append(_ row: [String]) {
    rows.append(columns.indices.map { $0 < row.count ? row[$0].printable : "" })
  }

  /// Returns the lines of the table, beginning with the titles and a rule. Text is cut to fit
  /// `width` if possible. Lines have no trailing spaces.
  func lines(width: Int) -> [String] {
    let widths = widths(in: width)
    let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: Self.gap)
    return [line(columns.map(\.title), widths), rule] + rows.map { line($0, widths) }
  }

  private func widths(in width: Int) -> [Int] {
    var widths = columns.indices.map { index in
      rows.reduce(columns[index].title.terminalWidth) { max($0, $1[index].terminalWidth) }
    }
    var excess = widths.reduce(Self.gap.count * (widths.count - 1), +) - width
    while excess > 0 {
      // The widest text column shrinks first, so narrow ones stay whole.
      let widest = columns.indices.filter { !columns[$0].isNumber }
        .max { widths[$0] < widths[$1] }
      guard let widest, widths[widest] > Self.narrowest else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = columns.indices.map { index in
      columns[index].isNumber
        ? cells[index].paddedLeft(to: widths[index])
        : cells[index].cut(to: widths[index]).padded(to: widths[index])
    }.joined(separator: Self.gap)
    while line.last == " " { line.removeLast() }
    return line
  }
}
