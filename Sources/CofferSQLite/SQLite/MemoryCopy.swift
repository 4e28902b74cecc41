import CSQLCipher
import Glibc

/// Copies memory at addresses that may be none: the kernel copies what is there, through a pipe.
struct MemoryCopy: ~Copyable {
  private let ends: (reading: CInt, writing: CInt)

  /// Nil if there is no pipe.
  init?() {
    var ends: [CInt] = [-1, -1]
    guard unsafe coffer_pipe(&ends) == 0 else { return nil }
    self.ends = (ends[0], ends[1])
  }

  deinit {
    close(ends.reading)
    close(ends.writing)
  }

  /// What a pipe always has room for, in bytes.
  private static let mostBytes = 4096

  /// Returns the words at an address; nil if they can't be read, or are too many.
  func words(at address: UInt, size: Int) -> [UInt]? {
    guard size <= Self.mostBytes else { return nil }
    // The kernel fails with EFAULT where there is no memory.
    let written = SystemCalls.retrying {
      unsafe coffer_write_memory(ends.writing, UnsafeRawPointer(bitPattern: address), size)
    }
    guard written > 0 else { return nil }
    var words = [UInt](repeating: 0, count: size / MemoryLayout<UInt>.size)
    let count = SystemCalls.retrying { unsafe read(ends.reading, &words, written) }
    return count == size ? words : nil
  }
}
