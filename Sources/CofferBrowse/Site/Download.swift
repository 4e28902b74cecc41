import Coffer
import Foundation

/// The rows of a query, sent while they are read.
///
/// A thread of its own reads them into a buffer, and ends when the browser has let it wait for ten
/// seconds in all, so that a slow one doesn't keep a transaction open.
final class Download: BodyStream {
  private static let bufferSize = 512 << 10
  private static let patience = 10.0
  private static let limit = Duration.seconds(600)

  private let condition = NSCondition()
  // SAFETY: only used while `condition` is locked.
  nonisolated(unsafe) private var buffer: [UInt8] = []
  nonisolated(unsafe) private var start = 0
  nonisolated(unsafe) private var patience = Download.patience
  // SAFETY: as above.
  nonisolated(unsafe) private var end: Result<Void, any Error>?
  nonisolated(unsafe) private var isClosed = false

  init(
    _ store: Store,
    _ read: @escaping @Sendable (Database, @escaping ([UInt8]) throws -> Void) throws -> Void
  ) {
    let thread = Thread {
      let result = Result {
        try store.read(within: Self.limit, isQuery: true) { db, reader in
          try read(db) { bytes in
            try reader.check()
            try self.add(bytes)
          }
        }
      }
      self.locked {
        unsafe self.end = result
        self.condition.broadcast()
      }
    }
    thread.start()
  }

  private func locked<T>(_ body: () throws -> T) rethrows -> T {
    condition.lock()
    defer { condition.unlock() }
    return try body()
  }

  private func add(_ bytes: [UInt8]) throws {
    try locked {
      while unsafe buffer.count - start > Self.bufferSize, unsafe !isClosed {
        let begin = Date()
        _ = unsafe condition.wait(until: begin.addingTimeInterval(patience))
        unsafe patience += begin.timeIntervalSinceNow
        if unsafe patience <= 0 { throw BrowseError.tooLong }
      }
      if unsafe isClosed { throw BrowseError.stopped }
      unsafe buffer.removeFirst(start)
      unsafe start = 0
      unsafe buffer += bytes
      condition.broadcast()
    }
  }

  func next(_ count: Int) throws -> [UInt8]? {
    try locked {
      while unsafe start == buffer.count, unsafe end == nil, unsafe !isClosed { condition.wait() }
      if unsafe isClosed { return nil }
      if unsafe start == buffer.count {
        try unsafe end?.get()
        return nil
      }
      let part = unsafe Array(buffer[start..<min(start + count, buffer.count)])
      unsafe start += part.count
      condition.broadcast()
      return part
    }
  }

  func close() {
    locked {
      unsafe isClosed = true
      condition.broadcast()
    }
  }
}
