import Foundation

/// Formats measurements as a table and as JSON.
enum Report {
  static let header =
    pad("benchmark", 44) + pad("C", 12, left: true) + pad("Coffer", 12, left: true)
    + pad("ratio", 8, left: true) + "  " + pad("quartiles", 13) + pad("goal", 6, left: true)

  static func line(_ measurement: Measurement) -> String {
    let spread = measurement.lowerQuartile.flatMap { lower in
      measurement.upperQuartile.map { "\(decimal(lower))–\(decimal($0))" }
    }
    return pad(measurement.name, 44)
      + pad(measurement.floor.map(time) ?? "–", 12, left: true)
      + pad(time(measurement.library), 12, left: true)
      + pad(measurement.ratio.map(decimal) ?? "–", 8, left: true) + "  "
      + pad(spread ?? "", 13)
      + pad(measurement.goal.map(decimal) ?? "", 6, left: true)
  }

  static func json(_ measurements: [Measurement], options: Options) throws -> Data {
    let rows = measurements.map { measurement -> [String: Any] in
      var row: [String: Any] = [
        "name": measurement.name, "count": measurement.count, "library_ns": measurement.library,
      ]
      row["floor_ns"] = measurement.floor
      row["ratio"] = measurement.ratio
      row["ratio_q1"] = measurement.lowerQuartile
      row["ratio_q3"] = measurement.upperQuartile
      row["goal"] = measurement.goal
      return row
    }
    return try JSONSerialization.data(
      withJSONObject: ["rows": options.rows, "rounds": options.rounds, "benchmarks": rows],
      options: [.prettyPrinted, .sortedKeys])
  }

  private static func time(_ nanoseconds: Double) -> String {
    if nanoseconds < 10_000 { return String(format: "%.1f ns", nanoseconds) }
    if nanoseconds < 10_000_000 { return String(format: "%.1f µs", nanoseconds / 1e3) }
    return String(format: "%.1f ms", nanoseconds / 1e6)
  }

  private static func decimal(_ value: Double) -> String { String(format: "%.2f", value) }

  private static func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - text.count))
    return left ? blanks + text : text + blanks
  }
}
