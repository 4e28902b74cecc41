#if S3
  import Synchronization

  /// Handles that wait for their next use, so that connections are used again.
  final class CurlPool: Sendable {
    // SAFETY: a handle is either here, where it is accessed only under the lock, or in use by the
    // one thread that has taken it.
    private struct Idle: @unchecked Sendable {
      var handles: [CurlHandle] = []
    }

    private static let capacity = 8
    private let idle = Mutex(Idle())

    /// Sends a request by a handle that no other thread uses.
    func send(_ transfer: CurlTransfer) throws -> S3Reply {
      let taken = idle.withLock { Idle(handles: $0.handles.popLast().map { [$0] } ?? []) }
      let handle = try taken.handles.first ?? CurlHandle()
      let reply = try handle.send(transfer)
      // After a failure, the handle is freed with its connections.
      putBack(handle)
      return reply
    }

    private func putBack(_ handle: CurlHandle) {
      let returned = Idle(handles: [handle])
      idle.withLock { idle in
        if idle.handles.count < CurlPool.capacity { idle.handles += returned.handles }
      }
    }
  }
#endif
