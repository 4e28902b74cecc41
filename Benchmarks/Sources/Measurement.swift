/// One benchmark: the same work done in C and with Coffer.
struct Benchmark {
  var name: String
  /// How often the work is done in one run, for the time of one.
  var count: Int
  /// The ratio to reach, if there is one.
  var goal: Double?
  /// Called before each run, outside of the measured time.
  var prepare: () throws -> Void = {}
  /// The work in C; nil where there is nothing to compare with. Its result must
  /// be that of `library`.
  var floor: (() throws -> Int64)?
  var library: () throws -> Int64
}

/// What a benchmark has measured.
struct Measurement {
  var name: String
  var count: Int
  var goal: Double?
  /// Nanoseconds for one piece of work, of the median run.
  var floor: Double?
  var library: Double
  /// The median of the ratios of neighbouring runs, and a quarter of them below and above.
  var ratio: Double?
  var lowerQuartile: Double?
  var upperQuartile: Double?
}

struct WrongResult: Error, CustomStringConvertible {
  var description: String
}

extension Benchmark {
  /// Runs C and Coffer in turn, the order changing, after one run of each that
  /// isn't counted and whose results are compared.
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
