/// Rows under titles, in columns that line up.
struct TextTable {
  /// One column.
  struct Column {
    enum Alignment { case left, right }

    var title: String
    var alignment: Alignment

    /// Text, which is cut where there is no room for it.
    static func text(_ title: String) -> Column { Column(title: title, alignment: .left) }

    /// Numbers, which are never cut.
    static func number(_ title: String) -> Column { Column(title: title, alignment: .right) }
  }

  private static let gap = "  "
  private static let narrowest = 6

  private let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row; cells that it lacks are empty.
  mutating func append(_ row: [String]) {
    rows.append(columns.indices.map { $0 < row.count ? row[$0].printable : "" })
  }

  /// The lines of the table, the titles and a rule first, none wider than `width` if texts that
  /// are cut can do it, and none with spaces at its end.
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
      // The widest text gives way first, so that short ones stay whole.
      let widest = columns.indices.filter { columns[$0].alignment == .left }
        .max { widths[$0] < widths[$1] }
      guard let widest, widths[widest] > Self.narrowest else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = columns.indices.map { index in
      switch columns[index].alignment {
      case .left: cells[index].cut(to: widths[index]).padded(to: widths[index])
      case .right: cells[index].paddedLeft(to: widths[index])
      }
    }.joined(separator: Self.gap)
    while line.last == " " { line.removeLast() }
    return line
  }
}
