import Dispatch
import Synchronization

/// Reads objects, several at the same time, and uses them one after the other.
///
/// - Parameters:
///   - read: Called on several threads, also for a few objects behind the last one that is used.
///   - use: Called on this thread, in ascending order, until it returns false.
/// - Throws: The error of the object whose turn it is, or what `use` throws.
func readInOrder<Value: Sendable>(
  _ numbers: Range<UInt64>, read: @escaping @Sendable (UInt64) throws -> Value,
  use: (UInt64, Value) throws -> Bool
) throws {
  // As many as are in memory, or on their way through a network.
  let atOnce = min(4, numbers.count)
  let next = Mutex<UInt64?>(numbers.lowerBound)
  let results = Mutex<[UInt64: Result<Value, any Error>]>([:])
  // A semaphore must not end below the value that it began with.
  let (room, isRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  let readers = DispatchGroup()
  for _ in 0..<atOnce {
    room.signal()
    DispatchQueue.global().async(group: readers) {
      while true {
        room.wait()
        let number = next.withLock { next -> UInt64? in
          guard let number = next, number < numbers.upperBound else { return nil }
          next = number + 1
          return number
        }
        guard let number else { return }
        let result = Result { try read(number) }
        results.withLock { $0[number] = result }
        isRead.signal()
      }
    }
  }
  defer {
    next.withLock { $0 = nil }
    for _ in 0..<atOnce { room.signal() }
    readers.wait()
  }
  for number in numbers {
    var result = results.withLock { $0.removeValue(forKey: number) }
    while result == nil {
      isRead.wait()
      result = results.withLock { $0.removeValue(forKey: number) }
    }
    guard let value = try result?.get(), try use(number, value) else { return }
    room.signal()
  }
}
