@testable import CofferCore
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite struct AccessGateTests {
  private func gate(target: DispatchQueue? = nil) -> AccessGate {
    AccessGate(queue: DispatchQueue(label: "gate", target: target), target: target)
  }

  /// Counts accesses, of which two at once are noticed.
  private final class Counter: Sendable {
    private let inside = Atomic(0)
    private let overlaps = Atomic(0)
    private let total = Atomic(0)

    func access(_ gate: AccessGate) {
      if inside.add(1, ordering: .relaxed).newValue != 1 { overlaps.add(1, ordering: .relaxed) }
      if !gate.isHeldByCurrentThread { overlaps.add(1, ordering: .relaxed) }
      total.add(1, ordering: .relaxed)
      inside.subtract(1, ordering: .relaxed)
    }

    var counts: [Int] {
      [overlaps.load(ordering: .relaxed), total.load(ordering: .relaxed)]
    }
  }

  @Test(arguments: [false, true])
  func `accesses of many threads, of both kinds, never overlap`(hasTarget: Bool) {
    let gate = gate(target: hasTarget ? DispatchQueue(label: "target") : nil)
    let counter = Counter()
    let group = DispatchGroup()
    var generator = SeededGenerator()
    let seeds = (0..<8).map { _ in UInt64.random(in: 0 ... .max, using: &generator) }
    DispatchQueue.concurrentPerform(iterations: seeds.count) { index in
      var bits = seeds[index]
      for _ in 0..<500 {
        bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        if bits >> 62 == 0 {
          group.enter()
          gate.schedule {
            counter.access(gate)
            group.leave()
          }
        } else {
          gate.withAccess { counter.access(gate) }
        }
      }
    }
    group.wait()
    #expect(counter.counts == [0, 4000])
    #expect(!gate.isHeldByCurrentThread)
    gate.withAccess { #expect(gate.isHeldByCurrentThread) }
  }

  @Test func `accesses that wait have the order of their requests`() {
    let gate = gate()
    let order = Mutex<[Int]>([])
    let group = DispatchGroup()
    for _ in 0..<20 {
      gate.withAccess {
        for number in 0..<50 {
          group.enter()
          gate.schedule {
            order.withLock { $0.append(number) }
            group.leave()
          }
        }
      }
      // A thread that comes later has no priority.
      gate.withAccess { order.withLock { $0.append(50) } }
      group.wait()
      #expect(order.withLock(\.self) == Array(0...50))
      order.withLock { $0 = [] }
    }
  }

  @Test func `another thread doesn't hold the gate, nor does one that waits`() {
    let gate = gate()
    gate.withAccess {
      let seen = Mutex([true])
      let thread = Thread { seen.withLock { $0 = [gate.isHeldByCurrentThread] } }
      thread.start()
      while !thread.isFinished { usleep(100) }
      #expect(seen.withLock(\.self) == [false])
      let isDone = DispatchSemaphore(value: 0)
      gate.schedule { isDone.signal() }
      // Marked that others wait, it is still held.
      #expect(gate.isHeldByCurrentThread)
    }
  }

  @Test func `an error leaves the gate`() {
    struct Failure: Error {}
    for target in [nil, DispatchQueue(label: "target")] {
      let gate = gate(target: target)
      for _ in 0..<3 {
        #expect(throws: Failure.self) { try gate.withAccess { throw Failure() } }
      }
      gate.withAccess {}
      let isDone = DispatchSemaphore(value: 0)
      gate.schedule { isDone.signal() }
      isDone.wait()
    }
  }
}
