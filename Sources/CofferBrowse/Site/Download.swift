import Coffer
import Foundation

extension BodyStream {
  /// The rows of a query, sent while they are read.
  ///
  /// A thread of its own reads them into a buffer, and ends when the browser has let it wait for
  /// ten seconds in all, so that a slow one doesn't keep a transaction open.
  ///
  /// - Parameter seconds: How long to wait for what fills the buffer, so that an error has a page.
  /// - Throws: The error that has ended reading meanwhile.
  static func download(
    _ store: Store, waiting seconds: Double = 0,
    _ read: @escaping @Sendable (Database, @escaping ([UInt8]) throws -> Void) throws -> Void
  ) throws -> BodyStream {
    let bufferSize = 512 << 10
    let state = Monitor(DownloadState())
    Thread.detachNewThread {
      var patience = 10.0
      let result = Result {
        try store.read(within: .seconds(600), isQuery: true) { db, reader in
          try read(db) { bytes in
            try reader.check()
            let begin = Date()
            let isAdded: Bool? = try state.wait(until: begin.addingTimeInterval(patience)) {
              state in
              if state.isClosed { throw BrowseError.stopped }
              guard state.buffer.count <= bufferSize else { return nil }
              state.buffer += bytes
              return true
            }
            guard isAdded != nil else { throw BrowseError.stopped }
            patience += begin.timeIntervalSinceNow
          }
        }
      }
      state.change { $0.end = result }
    }
    try state.wait(until: Date(timeIntervalSinceNow: seconds)) {
      $0.end ?? ($0.buffer.count > bufferSize ? .success(()) : nil)
    }?.get()
    return BodyStream { count in
      let part: [UInt8]? = try state.wait { state in
        guard !state.buffer.isEmpty, !state.isClosed else {
          try state.end?.get()
          return state.end == nil && !state.isClosed ? nil : []
        }
        defer { state.buffer.removeFirst(min(count, state.buffer.count)) }
        return Array(state.buffer.prefix(count))
      }
      return part ?? []
    } close: {
      state.change { $0.isClosed = true }
    }
  }
}

private struct DownloadState {
  var buffer: [UInt8] = []
  /// How reading has ended.
  var end: Result<Void, any Error>?
  var isClosed = false
}
