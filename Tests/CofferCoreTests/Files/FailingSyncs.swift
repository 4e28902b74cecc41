import Glibc
import Synchronization

@testable import CofferVault

extension FileCalls {
  /// Calls of which those that sync fail with these codes, in turn, until none is left.
  static func failingSyncs(_ codes: [CInt]) -> FileCalls {
    let left = Codes(codes)
    var calls = FileCalls.system
    calls.sync = { left.next() ?? FileCalls.system.sync($0) }
    calls.syncFileSystem = { left.next() ?? FileCalls.system.syncFileSystem($0) }
    return calls
  }

  private final class Codes: Sendable {
    private let left: Mutex<[CInt]>

    init(_ codes: [CInt]) { left = Mutex(codes) }

    func next() -> CInt? {
      left.withLock { left in
        guard !left.isEmpty else { return nil }
        errno = left.removeFirst()
        return -1
      }
    }
  }
}
