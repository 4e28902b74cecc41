import CofferSQLite
import Glibc
import Synchronization

/// The pages that are read, authenticated and decrypted ahead of one scan.
///
/// The scan's thread plans pages, one position after the other, and takes them in this order. A
/// worker claims a position, and fills its slot: with the page's bytes as they are in the file, the
/// code, and the plaintext. The memory is SQLite's, locked as far as that is allowed, and wiped.
///
/// What must hold:
/// - A slot is filled by the one thread that has changed its state from planned to working.
/// - A slot is planned anew, or freed, by the scan's thread, and only while nobody works on it.
///
// SAFETY: what is changed while workers see the window is atomic, or belongs to a slot, whose
// state, an atomic, hands it from one thread to the other. The mutex of `ReadAheadWorkers` guards
// `holders`.
@safe final class ReadAheadWindow: @unchecked Sendable {

  /// How a page is laid out and authenticated.
  struct Layout: Equatable {
    let algorithm: CInt
    let pageSize: Int
    /// The bytes that are encrypted. The IV follows them.
    let cipherCount: Int

    static let ivSize = 16
    static let mostCodeBytes = 64

    /// The bytes that the code depends on.
    var authenticatedCount: Int { cipherCount + Self.ivSize }

    var codeSize: Int { [20, 32, 64][Int(algorithm)] }

    /// Nil if it isn't one of SQLCipher's.
    init?(algorithm: CInt, cipherCount: Int) {
      // IV and code, rounded up to whole blocks: SHA-1, SHA-256, SHA-512.
      guard 0...2 ~= algorithm else { return nil }
      let pageSize = cipherCount + (algorithm == 2 ? 80 : 48)
      guard 512...65536 ~= pageSize, pageSize.nonzeroBitCount == 1 else { return nil }
      (self.algorithm, self.pageSize, self.cipherCount) = (algorithm, pageSize, cipherCount)
    }
  }

  /// The keys of a file's pages.
  struct Keys {
    let page: KeptKey
    let hmac: KeptKey
  }

  private static let mostBytes = 1 << 20
  private static let mostPages = 64
  /// Slots that are allocated at once.
  private static let chunkSlots = 4

  // The lowest bits of a slot's state; the position is above them.
  private static let free = 0
  private static let planned = 1
  private static let working = 2
  private static let ready = 3
  private static let failed = 4
  private static let codeBits = 3

  let layout: Layout
  let capacity: Int
  private let descriptor: CInt
  private let slotSize: Int
  // SAFETY: `init` allocates all of these, and `release` frees them when no worker uses them.
  @safe private let numbers: UnsafeMutablePointer<UInt32>
  @safe private let states: UnsafeMutablePointer<Atomic<Int>>
  @safe private let chunks: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// The context of each worker; number 0 is the scan's own.
  @safe private let lanes: UnsafeMutablePointer<CipherContext>
  @safe private let keys: UnsafeMutablePointer<Keys>
  @safe private let functions: UnsafePointer<CipherContext.Functions>

  /// The position after the last one that is planned.
  private let end = Atomic<Int>(0)
  /// The next position that nobody has claimed.
  private let claim = Atomic<Int>(0)
  /// Whether workers leave it.
  let isEnding = Atomic<Bool>(false)
  /// How many workers are at it; guarded by the workers' mutex.
  @safe @exclusivity(unchecked) var holders = 0

  /// Nil if there is no memory.
  init?(
    _ layout: Layout, _ keys: Keys, descriptor: CInt,
    _ functions: UnsafePointer<CipherContext.Functions>
  ) {
    let lanesSize = unsafe MemoryLayout<CipherContext>.stride * ReadAheadWorkers.mostLanes
    guard let memory = unsafe SQLite.allocate(MemoryLayout<Keys>.stride) else { return nil }
    guard let lanes = unsafe SQLite.allocate(lanesSize) else {
      unsafe SQLite.free(memory)
      return nil
    }
    self.keys = unsafe memory.bindMemory(to: Keys.self, capacity: 1)
    unsafe self.keys.initialize(to: keys)
    (self.layout, self.descriptor) = (layout, descriptor)
    self.functions = unsafe functions
    slotSize = 2 * layout.pageSize + Layout.mostCodeBytes
    // A page more is the predictor's, and contexts are small.
    let pages = (Self.mostBytes - 2 * layout.pageSize) / slotSize / Self.chunkSlots
    capacity = min(Self.mostPages, max(1, pages) * Self.chunkSlots)
    numbers = .allocate(capacity: capacity)
    unsafe numbers.initialize(repeating: 0, count: capacity)
    states = .allocate(capacity: capacity)
    for slot in 0..<capacity { unsafe (states + slot).initialize(to: Atomic(Self.free)) }
    let chunkCount = capacity / Self.chunkSlots
    chunks = .allocate(capacity: chunkCount)
    unsafe chunks.initialize(repeating: nil, count: chunkCount)
    self.lanes = unsafe lanes.bindMemory(
      to: CipherContext.self, capacity: ReadAheadWorkers.mostLanes)
    for lane in 0..<ReadAheadWorkers.mostLanes {
      unsafe (self.lanes + lane).initialize(to: CipherContext(functions))
    }
  }

  /// Wipes and frees everything.
  ///
  /// - Precondition: No worker uses the window, or ever will.
  func release() {
    for chunk in 0..<capacity / Self.chunkSlots {
      guard let memory = unsafe chunks[chunk] else { continue }
      unsafe explicit_bzero(memory, slotSize * Self.chunkSlots)
      unsafe SQLite.free(memory)
    }
    for lane in 0..<ReadAheadWorkers.mostLanes { unsafe lanes[lane].free() }
    unsafe explicit_bzero(lanes, MemoryLayout<CipherContext>.stride * ReadAheadWorkers.mostLanes)
    unsafe SQLite.free(lanes)
    unsafe explicit_bzero(keys, MemoryLayout<Keys>.stride)
    unsafe SQLite.free(keys)
    unsafe numbers.deallocate()
    unsafe states.deallocate()
    unsafe chunks.deallocate()
  }

  // MARK: The scan's thread

  var pageKey: KeptKey { keys.pointee.page }
  var hmacKey: KeptKey { keys.pointee.hmac }

  /// How many positions are planned and not claimed.
  var waiting: Int { end.load(ordering: .relaxed) - claim.load(ordering: .relaxed) }

  /// What became of a slot's last page.
  enum Past { case none, wasted, busy }

  /// Frees the slot of a position that is to be planned.
  ///
  /// - Returns: Busy if that isn't possible: a worker is at it, or there is no memory.
  func prepare(_ position: Int) -> Past {
    let slot = position % capacity
    let past = clear(slot)
    guard past != .busy else { return .busy }
    let chunk = slot / Self.chunkSlots
    return unsafe chunks[chunk] != nil || addChunk(chunk) ? past : .busy
  }

  /// Plans a page at the prepared position, the one after the last.
  func plan(_ number: UInt32, at position: Int) {
    let slot = position % capacity
    numbers[slot] = number
    states[slot].store(position << Self.codeBits | Self.planned, ordering: .releasing)
    end.store(position + 1, ordering: .releasing)
  }

  private func addChunk(_ chunk: Int) -> Bool {
    unsafe chunks[chunk] = unsafe SQLite.allocate(slotSize * Self.chunkSlots)
    return unsafe chunks[chunk] != nil
  }

  /// Makes a slot free, unless a worker is at it.
  private func clear(_ slot: Int) -> Past {
    let state = states[slot].load(ordering: .acquiring)
    switch state & (1 << Self.codeBits - 1) {
    case Self.planned:
      let isMine = states[slot].compareExchange(
        expected: state, desired: Self.free, ordering: .acquiringAndReleasing
      ).exchanged
      return isMine ? .none : .busy
    case Self.working: return .busy
    case Self.ready:
      states[slot].store(Self.free, ordering: .relaxed)
      return .wasted
    default: return .none
    }
  }

  /// The first planned position from `start` on that has this page; nil if there is none.
  func position(of number: UInt32, from start: Int) -> Int? {
    let end = end.load(ordering: .relaxed)
    var position = start
    while position < end {
      if numbers[position % capacity] == number { return position }
      position += 1
    }
    return nil
  }

  /// Keeps workers from what the scan has passed.
  func skipClaims(to position: Int) {
    var current = claim.load(ordering: .relaxed)
    while current < position {
      let result = claim.compareExchange(
        expected: current, desired: position, ordering: .relaxed)
      if result.exchanged { return }
      current = result.original
    }
  }

  /// How often the scan looks at a page that another thread works on, before it does the page
  /// itself: for about as long as this takes.
  private static let mostLooks = 4000

  /// Whether a page is ready.
  ///
  /// It never waits for a thread that may not run: a page that nobody has begun is left to the
  /// caller. While a worker is at it, this does the next page that nobody has claimed, and then
  /// looks for a little while.
  func isReady(_ position: Int) -> Bool {
    let slot = position % capacity
    var looks = 0
    while true {
      let state = states[slot].load(ordering: .acquiring)
      guard state >> Self.codeBits == position else { return false }
      switch state & (1 << Self.codeBits - 1) {
      case Self.ready: return true
      case Self.planned:
        let isMine = states[slot].compareExchange(
          expected: state, desired: Self.free, ordering: .acquiringAndReleasing
        ).exchanged
        if isMine { return false }
      case Self.working:
        if looks == 0, work(lane: 0, most: 1) > 0 {
          looks = 1
          continue
        }
        looks += 1
        guard looks < Self.mostLooks else { return false }
      default: return false
      }
    }
  }

  /// Copies the code of a ready page, if it was made from these bytes.
  func copyCode(
    _ position: Int, ifMadeFrom input: UnsafePointer<UInt8>,
    to output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let slot = unsafe memory(position % capacity)
    // SAFETY: the caller has as many bytes as the code depends on, and room for a code.
    guard unsafe memcmp(input, slot, layout.authenticatedCount) == 0 else { return false }
    unsafe memcpy(output, slot + 2 * layout.pageSize, layout.codeSize)
    return true
  }

  /// Copies the plaintext of a ready page whose code was copied, and frees its slot.
  ///
  /// - Returns: False, and nothing is copied, if SQLCipher has another IV than the page.
  func takePlaintext(
    _ position: Int, _ iv: UnsafePointer<UInt8>, to output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let slot = position % capacity
    let memory = unsafe memory(slot)
    // SAFETY: the caller has an IV, and room for what was encrypted.
    guard unsafe memcmp(iv, memory + layout.cipherCount, Layout.ivSize) == 0 else { return false }
    unsafe memcpy(output, memory + layout.pageSize, layout.cipherCount)
    states[slot].store(Self.free, ordering: .relaxed)
    return true
  }

  /// How many pages are ready, and weren't used.
  func countReady() -> Int {
    (0..<capacity).count { slot in
      states[slot].load(ordering: .acquiring) & (1 << Self.codeBits - 1) == Self.ready
    }
  }

  // MARK: Any thread

  /// Whether a position waits to be claimed.
  var hasWork: Bool { end.load(ordering: .acquiring) > claim.load(ordering: .acquiring) }

  /// Does pages that nobody has begun.
  ///
  /// - Parameter lane: A number that no other thread uses meanwhile.
  /// - Returns: How many pages were done.
  @discardableResult
  func work(lane: Int, most: Int) -> Int {
    var done = 0
    while done < most, !isEnding.load(ordering: .relaxed), let position = claimNext() {
      if fill(position, lane) { done += 1 }
    }
    return done
  }

  private func claimNext() -> Int? {
    var current = claim.load(ordering: .acquiring)
    while current < end.load(ordering: .acquiring) {
      let result = claim.compareExchange(
        expected: current, desired: current + 1, ordering: .acquiringAndReleasing)
      if result.exchanged { return current }
      current = result.original
    }
    return nil
  }

  private func fill(_ position: Int, _ lane: Int) -> Bool {
    let slot = position % capacity
    let state = position << Self.codeBits
    guard
      states[slot].compareExchange(
        expected: state | Self.planned, desired: state | Self.working,
        ordering: .acquiringAndReleasing
      ).exchanged
    else { return false }
    let isFilled = unsafe fill(memory(slot), numbers[slot], lane)
    states[slot].store(
      state | (isFilled ? Self.ready : Self.failed), ordering: .releasing)
    return true
  }

  private func fill(
    _ slot: UnsafeMutableRawPointer, _ number: UInt32, _ lane: Int
  ) -> Bool {
    let context = unsafe lanes + lane
    let offset = (Int(number) - 1) * layout.pageSize
    // SAFETY: a slot has room for a page as it is in the file, its plaintext, and a code.
    let count = unsafe pread(descriptor, slot, layout.pageSize, offset)
    guard count == layout.pageSize else { return false }
    let raw = unsafe slot.assumingMemoryBound(to: UInt8.self)
    var bytes = number.littleEndian
    return unsafe withUnsafeBytes(of: &bytes) { number in
      unsafe withUnsafeBytes(of: keys.pointee.hmac.words) { key in
        unsafe context.pointee.authenticate(
          layout.algorithm, key.baseAddress!.assumingMemoryBound(to: UInt8.self), 32, raw,
          CInt(layout.authenticatedCount),
          number.baseAddress!.assumingMemoryBound(to: UInt8.self), 4,
          raw + 2 * layout.pageSize)
      } == SQLite.ok
        && withUnsafeBytes(of: keys.pointee.page.words) { key in
          unsafe context.pointee.crypt(
            0, key.baseAddress!.assumingMemoryBound(to: UInt8.self), 32,
            raw + layout.cipherCount, raw, CInt(layout.cipherCount), raw + layout.pageSize)
        } == SQLite.ok
    }
  }

  private func memory(_ slot: Int) -> UnsafeMutableRawPointer {
    unsafe chunks[slot / Self.chunkSlots]! + slot % Self.chunkSlots * slotSize
  }
}
