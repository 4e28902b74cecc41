extension Run {
  /// Returns the medians of several runs, figure by figure.
  ///
  /// The environment is the last run's. Growth isn't combined: the last run that has measured a
  /// piece of work counts.
  /// - Precondition: There is a run.
  package static func median(of runs: [Run]) -> Run {
    guard var result = runs.last else { preconditionFailure("no runs") }
    result.runs = runs.reduce(0) { $0 + $1.runs }
    result.benchmarks = grouped(runs.flatMap(\.benchmarks), by: \.name).map { figures in
      var figure = figures[figures.count - 1]
      figure.floor = median(figures.compactMap(\.floor))
      figure.library = median(figures.map(\.library)) ?? figure.library
      figure.ratio = median(figures.compactMap(\.ratio))
      figure.lowerQuartile = median(figures.compactMap(\.lowerQuartile))
      figure.upperQuartile = median(figures.compactMap(\.upperQuartile))
      return figure
    }
    result.allocations = grouped(runs.flatMap(\.allocations), by: \.cursor).map { counts in
      Allocations(cursor: counts[0].cursor, count: median(counts.map(\.count)) ?? 0)
    }
    result.limits = grouped(runs.flatMap(\.limits), by: \.work).map { limits in
      Limit(
        work: limits[0].work, pages: median(limits.map(\.pages)) ?? 0,
        primitives: median(limits.map(\.primitives)) ?? 0,
        stock: median(limits.map(\.stock)) ?? 0, library: median(limits.map(\.library)) ?? 0)
    }
    result.growth = grouped(runs.flatMap(\.growth)) { "\($0.work), \($0.quantity)" }
      .map { $0[$0.count - 1] }
    return result
  }

  /// Groups values by a key, in the order in which the keys first occur.
  private static func grouped<Value>(
    _ values: [Value], by key: (Value) -> String
  ) -> [[Value]] {
    var groups: [[Value]] = []
    var indices: [String: Int] = [:]
    for value in values {
      if let index = indices[key(value)] {
        groups[index].append(value)
      } else {
        indices[key(value)] = groups.count
        groups.append([value])
      }
    }
    return groups
  }

  private static func median(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : quantile(values, 0.5)
  }
}

/// Returns a quantile, interpolated between neighboring values: 0.5 is the median.
///
/// - Precondition: There is a value.
package func quantile(_ values: [Double], _ fraction: Double) -> Double {
  let sorted = values.sorted()
  let position = fraction * Double(sorted.count - 1)
  let index = Int(position)
  guard index + 1 < sorted.count else { return sorted[index] }
  return sorted[index] + (sorted[index + 1] - sorted[index]) * (position - Double(index))
}
