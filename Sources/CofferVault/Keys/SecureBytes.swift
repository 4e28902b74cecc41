import CofferSQLite
import Glibc
import Synchronization

/// Secret bytes in dedicated memory pages: locked into RAM if the system allows it, excluded from
/// core dumps, and wiped before they are freed.
///
/// Each value takes at least a page (4 KiB), so it suits keys, not data. Locking can fail with a
/// low `RLIMIT_MEMLOCK`, which isn't an error.
/// - Invariant: The bytes don't change after `init`, which makes the pages read-only.
@safe package final class SecureBytes: Sendable {
  /// The number of bytes, which isn't secret.
  package let count: Int

  // SAFETY: only `init` writes to the pages, before any other code can hold `self`. They are then
  // mapped read-only until `deinit`.
  nonisolated(unsafe) private let base: UnsafeMutableRawPointer
  private let mappedCount: Int

  /// Allocates zeroed bytes, and calls `body` to fill them.
  ///
  /// - Throws: Any error of `body`; the bytes that it has written are wiped.
  /// - Precondition: `count` isn't negative, and enough memory is available.
  @safe package init<Failure: Error>(
    count: Int, initializingWith body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(count >= 0, "a negative count of bytes")
    let page = SecretPages.byteCount
    let mapped = max(1, (count + page - 1) / page) * page
    let region = unsafe SecretPages.take(mapped)
    self.count = count
    unsafe base = unsafe region
    mappedCount = mapped
    // SAFETY: `region` has `mapped` bytes, at least `count`. An error from here on releases `self`,
    // whose `deinit` wipes them.
    try unsafe body(UnsafeMutableRawBufferPointer(start: region, count: count))
    _ = unsafe mprotect(region, mapped, PROT_READ)
  }

  /// Copies bytes directly into the locked pages.
  package convenience init(copying bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { target in
      // SAFETY: the preconditions catch a collection whose count is wrong.
      let copied: Void? = bytes.withContiguousStorageIfAvailable { source in
        precondition(source.count == target.count, "a collection with a wrong count")
        unsafe target.copyMemory(from: UnsafeRawBufferPointer(source))
      }
      guard copied == nil else { return }
      var offset = 0
      for byte in bytes {
        precondition(offset < target.count, "a collection with a wrong count")
        unsafe target[offset] = byte
        offset += 1
      }
    }
  }

  /// Copies bytes directly into the locked pages.
  @safe package convenience init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count) { unsafe $0.copyMemory(from: bytes) }
  }

  deinit {
    // SAFETY: this object alone owns the mapping, and no other reference to `self` is left.
    if unsafe mprotect(base, mappedCount, PROT_READ | PROT_WRITE) == 0 {
      unsafe explicit_bzero(base, mappedCount)
      unsafe SecretPages.putBack(base, mappedCount)
    } else {
      unsafe munmap(base, mappedCount)
    }
  }

  /// Calls `body` with the bytes, whose address it must not keep.
  @safe package func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: `self` lives until the call returns, and the mapping with it.
    defer { withExtendedLifetime(self) {} }
    return try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Whether both hold the same bytes. The time depends only on their counts.
  package func isEqual(to other: SecureBytes) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { mine in
      other.withUnsafeBytes { theirs in unsafe constantTimeEqual(mine, theirs) }
    }
  }
}

/// Pages for secrets.
///
/// A few pages are kept when they are released, wiped, but still locked and left out of core dumps:
/// to map, lock and unmap pages takes a tenth of the time of an opening.
private enum SecretPages {
  /// The size of a page.
  static let byteCount = Int(sysconf(CInt(_SC_PAGESIZE)))
  private static let mostKept = 4

  /// The addresses of the kept pages, and the process that has locked them: after a `fork`, the
  /// child's aren't locked.
  private static let kept = Mutex((process: getpid(), pages: [UInt]()))

  /// Returns zeroed pages.
  static func take(_ count: Int) -> UnsafeMutableRawPointer {
    // Without waiting: the lock of a process that has forked may be held for ever.
    let page = kept.withLockIfAvailable { kept -> UInt? in
      if kept.process != getpid() { kept = (getpid(), []) }
      return count == byteCount ? kept.pages.popLast() : nil
    }
    // SAFETY: the page was put back, and is nobody else's.
    if let page, let page { return unsafe UnsafeMutableRawPointer(bitPattern: page)! }
    let region = unsafe mmap(
      nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let region = unsafe region, unsafe region != MAP_FAILED else {
      fatalError("out of memory for a key")
    }
    _ = unsafe mlock(region, count)
    _ = unsafe madvise(region, count, MADV_DONTDUMP)
    return unsafe region
  }

  /// Takes pages back, which are wiped and may be written to.
  static func putBack(_ pages: UnsafeMutableRawPointer, _ count: Int) {
    let page = UInt(bitPattern: pages)
    let isKept = kept.withLockIfAvailable { kept -> Bool in
      guard count == byteCount, kept.process == getpid(), kept.pages.count < mostKept else {
        return false
      }
      kept.pages.append(page)
      return true
    }
    if isKept != true { unsafe munmap(pages, count) }
  }
}

extension SecureBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "SecureBytes(redacted)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}

/// Whether two buffers of the same length hold the same bytes. The time doesn't depend on where
/// they differ.
package func constantTimeEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer)
  -> Bool
{
  guard first.count == second.count else { return false }
  var difference: UInt8 = 0
  for index in 0..<first.count { unsafe difference |= first[index] ^ second[index] }
  return difference == 0
}

/// Writes bytes as lowercase hexadecimal digits from `offset` on.
///
/// - Returns: The offset after the last digit.
@discardableResult
package func writeHex(
  _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, at offset: Int
) -> Int {
  func digit(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x57 + nibble }
  var offset = offset
  for index in bytes.indices {
    unsafe target[offset] = digit(bytes[index] >> 4)
    unsafe target[offset + 1] = digit(bytes[index] & 15)
    offset += 2
  }
  return offset
}

/// The value of an ASCII hexadecimal digit.
func hexValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case 0x30...0x39: digit - 0x30
  case 0x41...0x46: digit - 0x37
  case 0x61...0x66: digit - 0x57
  default: nil
  }
}
