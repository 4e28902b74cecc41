import BenchmarkReport
import CFloor
import Foundation

/// A benchmark: the same work in C and with Coffer.
struct Benchmark {
  /// The result of a loop, and its time in nanoseconds.
  typealias Timed = (result: Int64, nanoseconds: Double)

  var name: String
  /// The number of operations per run, to compute the time of one.
  var count: Int
  /// The ratio to reach; nil for none.
  var goal: Double?
  /// Whether the time is what the processors work, for all threads, rather than what a clock shows.
  var countsProcessorTime = false
  /// Called before each run, outside the measured time.
  var prepare: () throws -> Void = {}
  /// The work in C; nil if there is no equivalent. Its result must equal the result of `library`.
  var floor: (() throws -> Int64)?
  /// The work in C if another process runs it and takes the time; used instead of `floor`.
  var remoteFloor: (() throws -> Timed)? = nil
  var library: () throws -> Int64
}

struct WrongResult: Error, CustomStringConvertible {
  var description: String
}

extension Benchmark {
  /// Runs C and Coffer alternately, after an unmeasured run of each to compare their results.
  func measure(rounds: Int) throws -> Figure {
    defer { floor_mark_benchmark_ended() }
    let timedFloor = remoteFloor ?? floor.map { floor in { try time(floor, isFloor: true) } }
    let expected = try timedFloor?().result
    let result = try time(library).result
    if let expected, expected != result {
      throw WrongResult(description: "\(name): C gives \(expected), Coffer \(result)")
    }
    var floors: [Double] = []
    var libraries: [Double] = []
    for round in 0..<rounds {
      let libraryIsFirst = round % 2 == 1
      if libraryIsFirst { libraries.append(try time(library).nanoseconds) }
      if let timedFloor { floors.append(try timedFloor().nanoseconds) }
      if !libraryIsFirst { libraries.append(try time(library).nanoseconds) }
    }
    let ratios = zip(libraries, floors).map { $0 / $1 }
    var figure = Figure(
      name: name, count: count, goal: goal,
      floor: floors.isEmpty ? nil : quantile(floors, 0.5) / Double(count),
      library: quantile(libraries, 0.5) / Double(count))
    if !ratios.isEmpty {
      figure.ratio = quantile(ratios, 0.5)
      figure.lowerQuartile = quantile(ratios, 0.25)
      figure.upperQuartile = quantile(ratios, 0.75)
    }
    return figure
  }

  private func time(_ work: () throws -> Int64, isFloor: Bool = false) throws -> Timed {
    try prepare()
    if isFloor { floor_mark_c_begins() } else { floor_mark_coffer_begins() }
    defer { if isFloor { floor_mark_c_ended() } else { floor_mark_coffer_ended() } }
    guard countsProcessorTime else { return try timed(work) }
    let start = processorTime()
    let result = try work()
    return (result, processorTime() - start)
  }

  /// What the processors have worked for this process, in nanoseconds.
  private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}

/// Runs work, and returns its result and its time in nanoseconds.
func timed<Result>(_ work: () throws -> Result) rethrows -> (result: Result, nanoseconds: Double) {
  let clock = ContinuousClock()
  let start = clock.now
  let result = try work()
  let (seconds, attoseconds) = (clock.now - start).components
  blackHole(result)
  return (result, Double(seconds) * 1e9 + Double(attoseconds) / 1e9)
}

@inline(never)
func blackHole<Value>(_ value: Value) {}
