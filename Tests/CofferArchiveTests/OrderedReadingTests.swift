import Foundation
import Synchronization
import Testing

@testable import CofferArchive

/// Objects that are read at the same time are used in their order.
struct OrderedReadingTests {
  private struct Failure: Error {}

  @Test func `values are used in their order, whatever order they are read in`() throws {
    var used: [UInt64] = []
    try readInOrder(10..<60) { number in
      // The first of those that are read at the same time come last.
      if number % 4 == 0 { usleep(2_000) }
      return number * 2
    } use: { number, value in
      #expect(value == number * 2)
      used.append(number)
      return true
    }
    #expect(used == Array(10..<60))
  }

  @Test func `what comes after the last one that is used is hardly read, and its errors are none`()
    throws
  {
    let read = Mutex<[UInt64]>([])
    var used = 0
    try readInOrder(0..<1_000) { number in
      read.withLock { $0.append(number) }
      if number > 5 { throw Failure() }
      return number
    } use: { number, _ in
      used += 1
      return number < 5
    }
    #expect(used == 6)
    #expect(read.withLock(\.count) <= 10)
  }

  @Test func `an error is thrown when it is its turn`() {
    var used: [UInt64] = []
    #expect(throws: Failure.self) {
      try readInOrder(0..<100) { number in
        if number == 7 { throw Failure() }
        return number
      } use: { number, _ in
        used.append(number)
        return true
      }
    }
    #expect(used == Array(0..<7))
  }

  @Test func `an error of the use ends the reading`() {
    let count = Mutex(0)
    #expect(throws: Failure.self) {
      try readInOrder(0..<1_000) { number in
        count.withLock { $0 += 1 }
        return number
      } use: { number, _ in
        if number == 3 { throw Failure() }
        return true
      }
    }
    #expect(count.withLock { $0 } <= 8)
  }

  @Test func `no read goes on after the end`() throws {
    let running = Mutex(0)
    try readInOrder(0..<1_000) { number in
      running.withLock { $0 += 1 }
      defer { running.withLock { $0 -= 1 } }
      if number > 0 { usleep(20_000) }
    } use: { _, _ in
      false
    }
    #expect(running.withLock { $0 } == 0)
  }

  @Test func `nothing to read is no error`() throws {
    try readInOrder(5..<5) {
      $0
    } use: { _, _ in
      true
    }
  }
}
