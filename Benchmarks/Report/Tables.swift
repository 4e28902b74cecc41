/// Renders the figures of a run as tables in Markdown.
package struct Tables {
  let run: Run
  /// The path of the run's JSON file, seen from the document.
  let source: String

  /// - Parameter source: The path of the run's JSON file, seen from the document.
  package init(_ run: Run, source: String) {
    self.run = run
    self.source = source
  }

  /// The names of all blocks that can stand between markers.
  package static let names =
    PublishedTable.all.map(\.name) + [
      "others", "allocations", "limits", "growth", "recorded", "missed", PublishedTable.cached.name,
      "recorded-cached",
    ]

  /// Returns the lines of a block; nil if there is no block of this name.
  package func lines(of name: String) -> [String]? {
    switch name {
    case "recorded", "recorded-cached": [recorded]
    case PublishedTable.cached.name: table(.cached)
    case "missed": missed
    case "others": others
    case "allocations": allocations
    case "limits": limits
    case "growth": growth
    default: PublishedTable.all.first { $0.name == name }.map(table)
    }
  }

  // MARK: Benchmarks

  private func figure(_ row: PublishedTable.Row) -> Figure? {
    run.benchmarks.first { $0.name == row.benchmark }
  }

  private func table(_ table: PublishedTable) -> [String] {
    let showsGRDB = table.rows.contains { $0.grdb != nil }
    let rows = table.rows.map { row in
      let figure = figure(row)
      var cells = [row.title] + Self.verdict(figure)
      if showsGRDB { cells.append(row.grdb.map(Format.ratio) ?? "–") }
      return cells
    }
    let heading = ["work", "goal", table.heading, "met"]
    return Self.markdown(showsGRDB ? heading + ["GRDB"] : heading, rows)
  }

  /// The goal, the ratio, and whether one reaches the other.
  private static func verdict(_ figure: Figure?) -> [String] {
    [
      figure?.goal.map { "≤ " + Format.ratio($0) } ?? "–",
      figure?.ratio.map(Format.ratio) ?? "–",
      figure?.meetsGoal.map { $0 ? "yes" : "**missed**" } ?? "–",
    ]
  }

  /// The benchmarks that no other table lists.
  private var others: [String] {
    let listed = Set(PublishedTable.all.flatMap(\.rows).map(\.benchmark))
    let rows = run.benchmarks.filter { !listed.contains($0.name) }.map { figure in
      [figure.name] + Self.verdict(figure) + [Format.time(figure.library)]
    }
    return Self.markdown(["work", "goal", "ratio to C", "met", "time"], rows)
  }

  /// What was measured, when and on what, and how many goals it meets.
  private var recorded: String {
    let environment = run.environment
    let verdicts = run.benchmarks.compactMap(\.meetsGoal)
    let runs = run.runs == 1 ? "1 run" : "\(run.runs) runs"
    return """
      Recorded on \(environment.date) ([JSON](\(source))): medians of \(runs) with \
      \(run.rounds) rounds and \(Format.count(run.rows)) rows; SQLCipher \(environment.sqlcipher), \
      provider `\(environment.cipherProvider)`; \(environment.processor), \(environment.cores) \
      cores. The run meets \(verdicts.count { $0 }) of the \(verdicts.count) goals.
      """
  }

  /// The goals that the run misses, one per line.
  private var missed: [String] {
    let lines = run.benchmarks.filter { $0.meetsGoal == false }.compactMap { figure in
      figure.ratio.flatMap { ratio in
        figure.goal.map { "- \(figure.name): \(Format.ratio(ratio)), goal \(Format.ratio($0))" }
      }
    }
    return lines.isEmpty
      ? ["The run misses no goal."] : ["The run misses these goals:", ""] + lines
  }

  private var allocations: [String] {
    Self.markdown(
      ["cursor", "allocations per row, beyond those of the C loop"],
      run.allocations.map { [$0.cursor, $0.count < 0.005 ? "0" : Format.ratio($0.count)] })
  }

  // MARK: Limits and growth

  private var limits: [String] {
    Self.markdown(
      [
        "work", "pages", "primitives, at least", "C on the stock provider", "Coffer",
        "Coffer / primitives",
      ],
      run.limits.map { limit in
        [
          limit.work, Self.pages(limit.pages), Format.time(limit.primitives),
          Format.time(limit.stock), Format.time(limit.library),
          limit.primitives > 0 ? Format.ratio(limit.library / limit.primitives) : "–",
        ]
      })
  }

  private static func pages(_ count: Double) -> String {
    count < 100 ? Format.ratio(count) : Format.count(Int(count.rounded()))
  }

  private var growth: [String] {
    Self.markdown(
      ["work", "small", "large", "factor"],
      run.growth.map { growth in
        let sizes = zip(growth.counts, growth.values).map { count, value in
          "\(Format.count(count)) \(growth.units(count)): \(growth.text(of: value))"
        }
        return [
          growth.work, sizes.first ?? "–", sizes.count > 1 ? sizes[sizes.count - 1] : "–",
          growth.factor.map(Format.ratio) ?? "–",
        ]
      })
  }

  private static func markdown(_ heading: [String], _ rows: [[String]]) -> [String] {
    ([heading, heading.map { _ in "---" }] + rows).map { cells in
      "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
  }
}

extension Growth {
  func units(_ count: Int) -> String {
    let unit = sizeUnit ?? unit
    return count == 1 ? unit : unit + "s"
  }

  package func text(of value: Double) -> String {
    switch quantity {
    case .time: Format.time(value) + " per \(unit)"
    case .memory: Format.memory(value) + " per \(unit)"
    case .totalMemory: Format.memory(value)
    case .number: Format.count(Int(value.rounded()))
    }
  }
}
