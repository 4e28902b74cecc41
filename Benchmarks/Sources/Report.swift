import BenchmarkReport

/// Formats figures as a table for the terminal.
enum Report {
  static let header =
    pad("benchmark", 44) + pad("C", 12, left: true) + pad("Coffer", 12, left: true)
    + pad("ratio", 8, left: true) + "  " + pad("quartiles", 13) + pad("goal", 6, left: true)

  static func line(_ figure: Figure) -> String {
    let spread = figure.lowerQuartile.flatMap { lower in
      figure.upperQuartile.map { "\(Format.ratio(lower))–\(Format.ratio($0))" }
    }
    return pad(figure.name, 44)
      + pad(figure.floor.map(Format.time) ?? "–", 12, left: true)
      + pad(Format.time(figure.library), 12, left: true)
      + pad(figure.ratio.map(Format.ratio) ?? "–", 8, left: true) + "  "
      + pad(spread ?? "", 13)
      + pad(figure.goal.map(Format.ratio) ?? "", 6, left: true)
      + (figure.meetsGoal == false ? "  missed" : "")
  }

  static func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - text.count))
    return left ? blanks + text : text + blanks
  }
}
