/// A benchmark: the same work in C and with Coffer.
struct Benchmark {
  var name: String
  /// The number of operations per run, to compute the time of one.
  var count: Int
  /// The ratio to reach; nil for none.
  var goal: Double?
  /// Called before each run, outside the measured time.
  var prepare: () throws -> Void = {}
  /// The work in C; nil if there is no equivalent. Its result must equal the result of `library`.
  var floor: (() throws -> Int64)?
  var library: () throws -> Int64
}

/// The result of a benchmark.
struct Measurement {
  var name: String
  var count: Int
  var goal: Double?
  /// The time per operation in the median run, in nanoseconds.
  var floor: Double?
  var library: Double
  /// The median and the quartiles of the ratios of neighboring runs.
  var ratio: Double?
  var lowerQuartile: Double?
  var upperQuartile: Double?
}

struct WrongResult: Error, CustomStringConvertible {
  var description: String
}

extension Benchmark {
  /// Runs C and Coffer alternately, after an unmeasured run of each to compare their results.
  func measure(rounds: Int) throws -> Measurement {
    try prepare()
    let expected = try floor?()
    try prepare()
    let result = try library()
    if let expected, expected != result {
      throw WrongResult(description: "\(name): C gives \(expected), Coffer \(result)")
    }
    var floors: [Double] = []
    var libraries: [Double] = []
    for round in 0..<rounds {
      if round % 2 == 0 {
        if let floor { floors.append(try time(floor)) }
        libraries.append(try time(library))
      } else {
        libraries.append(try time(library))
        if let floor { floors.append(try time(floor)) }
      }
    }
    let ratios = zip(libraries, floors).map { $0 / $1 }
    return Measurement(
      name: name, count: count, goal: goal,
      floor: floors.isEmpty ? nil : quantile(floors, 0.5) / Double(count),
      library: quantile(libraries, 0.5) / Double(count),
      ratio: ratios.isEmpty ? nil : quantile(ratios, 0.5),
      lowerQuartile: ratios.isEmpty ? nil : quantile(ratios, 0.25),
      upperQuartile: ratios.isEmpty ? nil : quantile(ratios, 0.75))
  }

  private func time(_ work: () throws -> Int64) throws -> Double {
    try prepare()
    let clock = ContinuousClock()
    let start = clock.now
    blackHole(try work())
    let (seconds, attoseconds) = (clock.now - start).components
    return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
  }
}

@inline(never)
func blackHole(_ value: Int64) {}

private func quantile(_ values: [Double], _ fraction: Double) -> Double {
  let sorted = values.sorted()
  let position = fraction * Double(sorted.count - 1)
  let index = Int(position)
  guard index + 1 < sorted.count else { return sorted[index] }
  return sorted[index] + (sorted[index + 1] - sorted[index]) * (position - Double(index))
}
