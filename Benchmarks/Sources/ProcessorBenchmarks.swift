import CFloor
import Coffer
import Dispatch
import Synchronization

/// What two cores give C, which shows what a machine allows: cores that share a unit, or that have
/// other work, don't halve the time, and take more processor time each.
///
/// Both columns are C, with two connections.
func processorBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let floors = Lazy { try [fixture.floor, fixture.openFloor()] }
  func scanInTurn() throws -> Int64 {
    try floors.value().reduce(0) { $0 &+ floor_sum_ten($1, "SELECT * FROM ints") }
  }
  func scanAtOnce() throws -> Int64 {
    // SAFETY: each of the two threads uses one of the connections.
    nonisolated(unsafe) let floors = try floors.value()
    let sum = Mutex<Int64>(0)
    DispatchQueue.concurrentPerform(iterations: floors.count) { index in
      let own = floor_sum_ten(floors[index], "SELECT * FROM ints")
      sum.withLock { $0 &+= own }
    }
    return sum.withLock(\.self)
  }
  return [
    Benchmark(
      name: "C: two scans at once / one after the other", count: 2 * fixture.rows,
      floor: scanInTurn, library: scanAtOnce),
    Benchmark(
      name: "C: processor time of two scans at once / one after the other",
      count: 2 * fixture.rows, countsProcessorTime: true, floor: scanInTurn, library: scanAtOnce),
  ]
}
