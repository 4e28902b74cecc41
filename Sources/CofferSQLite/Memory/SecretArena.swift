import Glibc

/// Memory for secrets: left out of core dumps, and locked into RAM as far as that is allowed.
///
/// It is one reserved range of addresses, of which the system is told once, made usable from its
/// beginning. The range consists of slabs: each has blocks of one size, or begins one larger block.
/// A slab without a block in use returns its memory to the system, unless it is the only one with
/// room for its size.
///
/// It isn't synchronized; `byteCount(of:)` alone may be called at any time, for a block in use.
@safe struct SecretArena {
  /// The blocks of one size in a part of the range.
  private struct Slab {
    /// The number of blocks in use.
    var used = 0
    /// The address of the block that was freed last, which has that of the next one; 0 for none.
    var free: UInt = 0
    /// The offset of the first block that was never in use.
    var fresh = 0
    /// The neighbours among the slabs of this size that have room; -1 for none.
    var next = -1
    var previous = -1
  }

  private static let reservedBytes = 16 << 30
  private static let slabShift = 18
  private static let slabBytes = 1 << slabShift
  private static let step = 1 << 20
  /// Up to blocks of 2 GiB, SQLite's largest.
  private static let classCount = 202

  // SAFETY: `init` maps the range and the tables, which stay mapped for ever. Blocks lie in the
  // part of the range that was made writable, and each of its slabs has an entry in the table.
  private let base: UInt
  private let slabs: UnsafeMutablePointer<Slab>
  /// The size of each slab's blocks, which doesn't change while a block is in use.
  private let classes: UnsafeMutablePointer<UInt8>
  /// The first slab with room, for each size; -1 for none.
  private let roomy: UnsafeMutablePointer<Int>
  private let counts: UnsafeMutablePointer<Counts>

  /// What changes, apart from the arena, so that ``byteCount(of:)`` reads nothing that changes.
  private struct Counts {
    var slabCount = 0
    var firstFreeSlab = -1
    var writableBytes = 0
    var lockedBytes = 0
    var mostLockedBytes: Int
  }

  /// Reserves the range; nil if the system refuses.
  init?() {
    let mostSlabs = Self.reservedBytes / Self.slabBytes
    guard let range = unsafe Self.map(Self.reservedBytes, PROT_NONE),
      let table = unsafe Self.map(mostSlabs * MemoryLayout<Slab>.stride, PROT_READ | PROT_WRITE),
      let classes = unsafe Self.map(mostSlabs, PROT_READ | PROT_WRITE),
      unsafe madvise(range, Self.reservedBytes, MADV_DONTDUMP) == 0
    else { return nil }
    base = UInt(bitPattern: range)
    unsafe slabs = unsafe table.bindMemory(to: Slab.self, capacity: mostSlabs)
    unsafe self.classes = unsafe classes.bindMemory(to: UInt8.self, capacity: mostSlabs)
    unsafe roomy = .allocate(capacity: Self.classCount)
    unsafe roomy.initialize(repeating: -1, count: Self.classCount)
    // The other half is for keys.
    var limit = rlimit()
    let isKnown = unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0
    unsafe counts = .allocate(capacity: 1)
    unsafe counts.initialize(
      to: Counts(mostLockedBytes: isKnown ? Int(clamping: limit.rlim_cur / 2) : 0))
  }

  private static func map(_ count: Int, _ protection: CInt) -> UnsafeMutableRawPointer? {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    let start = unsafe mmap(nil, count, protection, flags, -1, 0)
    return unsafe start == MAP_FAILED ? nil : start
  }

  // MARK: Sizes

  // Multiples of 16 up to 128, and then eight sizes from one power of two to the next.

  @inline(__always)
  private static func sizeClass(_ count: Int) -> Int {
    if count <= 128 { return max(1, (count &+ 15) &>> 4) }
    let exponent = 63 &- (count &- 1).leadingZeroBitCount
    return 9 &+ (exponent &- 7) &<< 3 &+ (count &- 1 &- 1 &<< exponent) &>> (exponent &- 3)
  }

  @inline(__always)
  private static func blockSize(_ sizeClass: Int) -> Int {
    if sizeClass <= 8 { return sizeClass &<< 4 }
    let (octave, part) = ((sizeClass &- 9) &>> 3, (sizeClass &- 9) & 7)
    return (9 &+ part) &<< (octave &+ 4)
  }

  /// Returns the bytes that a block for so many bytes has.
  @inline(__always)
  static func roundUp(_ count: Int) -> Int { blockSize(sizeClass(count)) }

  @inline(__always)
  func contains(_ address: UInt) -> Bool { address &- base < UInt(Self.reservedBytes) }

  /// Returns the bytes of a block in use.
  @inline(__always)
  func byteCount(of block: UInt) -> Int { Self.blockSize(sizeClass(ofSlab: slab(of: block))) }

  @inline(__always)
  private func sizeClass(ofSlab index: Int) -> Int { unsafe Int(classes[index]) }

  @inline(__always)
  private func slab(of block: UInt) -> Int { Int(truncatingIfNeeded: (block &- base) &>> 18) }

  // MARK: Blocks

  /// Returns the address of a block of at least so many bytes; 0 if there is no memory.
  @inline(__always)
  func allocate(_ count: Int) -> UInt {
    let sizeClass = Self.sizeClass(count)
    var index = unsafe roomy[sizeClass]
    if index < 0 {
      index = addSlab(sizeClass)
      guard index >= 0 else { return 0 }
    }
    let slab = unsafe slabs + index
    unsafe slab.pointee.used &+= 1
    var block = unsafe slab.pointee.free
    if block != 0 {
      // SAFETY: a freed block has the address of the next one.
      unsafe slab.pointee.free = unsafe UnsafePointer<UInt>(bitPattern: block)!.pointee
    } else {
      block = unsafe base &+ UInt(index &<< Self.slabShift &+ slab.pointee.fresh)
      unsafe slab.pointee.fresh &+= Self.blockSize(sizeClass)
    }
    if isFull(index) { unlink(index) }
    return block
  }

  /// Takes a block back.
  @inline(__always)
  func free(_ block: UInt) {
    let index = slab(of: block)
    let slab = unsafe slabs + index
    let wasFull = isFull(index)
    // SAFETY: the block is at least 16 bytes, and no one's any more.
    unsafe UnsafeMutablePointer<UInt>(bitPattern: block)!.pointee = unsafe slab.pointee.free
    unsafe slab.pointee.free = block
    unsafe slab.pointee.used &-= 1
    if wasFull { link(index) }
    if unsafe slab.pointee.used == 0 { release(index) }
  }

  @inline(__always)
  private func isFull(_ index: Int) -> Bool {
    let slab = unsafe slabs + index
    return unsafe slab.pointee.free == 0
      && slab.pointee.fresh &+ Self.blockSize(sizeClass(ofSlab: index)) > Self.slabBytes
      && slab.pointee.used > 0
  }

  private func link(_ index: Int) {
    let sizeClass = sizeClass(ofSlab: index)
    let next = unsafe roomy[sizeClass]
    unsafe slabs[index].next = next
    unsafe slabs[index].previous = -1
    if next >= 0 { unsafe slabs[next].previous = index }
    unsafe roomy[sizeClass] = index
  }

  private func unlink(_ index: Int) {
    let (next, previous) = unsafe (slabs[index].next, slabs[index].previous)
    if next >= 0 { unsafe slabs[next].previous = previous }
    if previous >= 0 {
      unsafe slabs[previous].next = next
    } else {
      unsafe roomy[sizeClass(ofSlab: index)] = next
    }
  }

  // MARK: Slabs

  /// Returns a slab with room for a block; -1 if there is no memory.
  @inline(never)
  private func addSlab(_ sizeClass: Int) -> Int {
    let size = Self.blockSize(sizeClass)
    let count = (size + Self.slabBytes - 1) >> Self.slabShift
    var index = unsafe counts.pointee.firstFreeSlab
    if count == 1, index >= 0 {
      unsafe counts.pointee.firstFreeSlab = unsafe slabs[index].next
    } else {
      index = unsafe counts.pointee.slabCount
      guard makeWritable((index + count) << Self.slabShift) else { return -1 }
      unsafe counts.pointee.slabCount += count
    }
    unsafe classes[index] = UInt8(sizeClass)
    unsafe slabs[index] = Slab()
    link(index)
    return index
  }

  private func makeWritable(_ end: Int) -> Bool {
    let writableBytes = unsafe counts.pointee.writableBytes
    guard end > writableBytes else { return true }
    let newEnd = (end + Self.step - 1) / Self.step * Self.step
    guard newEnd <= Self.reservedBytes else { return false }
    let start = unsafe UnsafeMutableRawPointer(bitPattern: base + UInt(writableBytes))
    let count = newEnd - writableBytes
    guard unsafe mprotect(start, count, PROT_READ | PROT_WRITE) == 0 else { return false }
    if unsafe counts.pointee.lockedBytes == writableBytes,
      unsafe newEnd <= counts.pointee.mostLockedBytes, unsafe mlock(start, count) == 0
    {
      unsafe counts.pointee.lockedBytes = newEnd
    }
    unsafe counts.pointee.writableBytes = newEnd
    return true
  }

  /// Returns the memory of a slab without blocks to the system.
  @inline(never)
  private func release(_ index: Int) {
    let sizeClass = sizeClass(ofSlab: index)
    let count = (Self.blockSize(sizeClass) + Self.slabBytes - 1) >> Self.slabShift
    let isOnly = unsafe slabs[index].next < 0 && slabs[index].previous < 0
    guard !isOnly || count > 1 else { return }
    let offset = index << Self.slabShift
    if unsafe offset >= counts.pointee.lockedBytes {
      let start = unsafe UnsafeMutableRawPointer(bitPattern: base + UInt(offset))
      _ = unsafe madvise(start, count << Self.slabShift, MADV_DONTNEED)
    }
    unsafe slabs[index].free = 0
    unsafe slabs[index].fresh = 0
    // A range of several slabs stays one for its size.
    guard count == 1 else { return }
    unlink(index)
    unsafe slabs[index].next = unsafe counts.pointee.firstFreeSlab
    unsafe counts.pointee.firstFreeSlab = index
  }
}
