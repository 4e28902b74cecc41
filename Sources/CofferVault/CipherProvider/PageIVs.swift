import Glibc

/// IVs of pages from the system's random source, which is asked for several at a time.
///
/// SQLCipher's provider takes each from libcrypto's generator, in 1.6 µs, a third of what it takes
/// to encrypt the page.
///
/// What must hold:
/// - Each IV is given away once, and wiped here.
/// - A copy of the process gets none of this one's: the kernel fills its memory with zeros, which
///   means that none is left, see MADV_WIPEONFORK
///   (<https://man7.org/linux/man-pages/man2/madvise.2.html>).
@safe struct PageIVs {
  static let size = 16
  private static let count = 16
  /// How many are left, in as much memory as an IV takes, and the IVs.
  private static let memorySize = (1 + count) * size

  // SAFETY: only what is mapped here, and not unmapped.
  @safe private var memory: UnsafeMutableRawPointer?

  /// Writes the next one.
  ///
  /// - Parameter output: Room for ``size`` bytes.
  /// - Returns: False, and nothing is written, if the system has none.
  @inline(__always)
  mutating func takeNext(_ output: UnsafeMutableRawPointer) -> Bool {
    if unsafe memory == nil { memory = unsafe Self.map() }
    guard let memory else { return false }
    var left = unsafe memory.load(as: Int.self)
    if left == 0 {
      let isFilled = unsafe getentropy(memory + Self.size, Self.count * Self.size) == 0
      guard isFilled else { return false }
      left = Self.count
    }
    let next = unsafe memory + left * Self.size
    // SAFETY: the memory has the number of those that are left, and then `count` of them.
    unsafe memcpy(output, next, Self.size)
    unsafe explicit_bzero(next, Self.size)
    unsafe memory.storeBytes(of: left - 1, as: Int.self)
    return true
  }

  /// Returns zeros that a copy of the process doesn't get changed; nil if the system can't.
  @inline(never)
  private static func map() -> UnsafeMutableRawPointer? {
    let memory = unsafe mmap(
      nil, memorySize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { return nil }
    guard unsafe madvise(memory, memorySize, MADV_WIPEONFORK) == 0 else {
      unsafe munmap(memory, memorySize)
      return nil
    }
    return unsafe memory
  }

  /// Wipes and frees what is left.
  mutating func free() {
    guard let memory else { return }
    self.memory = nil
    unsafe explicit_bzero(memory, Self.memorySize)
    unsafe munmap(memory, Self.memorySize)
  }
}
