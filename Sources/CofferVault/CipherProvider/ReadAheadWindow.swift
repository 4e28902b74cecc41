import CofferSQLite
import Glibc
import Synchronization

/// The pages that are read, authenticated and decrypted ahead of one scan.
///
/// The scan's thread plans pages, one position after the other, and takes them in this order. A
/// worker claims a position, and fills its slot: with the page's bytes as they are in the file, the
/// code, and the plaintext. The memory is SQLite's, locked as far as that is allowed, and wiped.
///
/// Where the pages are copied to another file, it has their ciphertext for that file, too. A page
/// that was taken stays in its slot until the slot is planned anew. Pages that SQLite is to write
/// have their plaintext from memory, and only the ciphertext is made.
///
/// What must hold:
/// - A slot is filled by the one thread that has changed its state from planned or read to working.
/// - A slot is planned anew, or freed, by the scan's thread, and only while nobody works on it.
/// - Ciphertext that was made here is given away once, so that no other page has its IV.
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
    static let markSize = 1

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

  /// How an encrypted page is in a slot.
  enum Form {
    /// As it is in the file, before its plaintext and its code.
    case file
    /// As it is in a copy, before its code.
    case copy

    func offset(_ layout: Layout) -> Int {
      self == .file ? 0 : 2 * layout.pageSize + Layout.mostCodeBytes
    }

    /// Where the code is, from the page's first byte on.
    func codeOffset(_ layout: Layout) -> Int {
      self == .file ? 2 * layout.pageSize : layout.pageSize
    }
  }

  /// The keys of a file's pages.
  struct Keys {
    let page: KeptKey
    let hmac: KeptKey

    func isSame(as other: Keys) -> Bool {
      page.isSame(as: other.page) && hmac.isSame(as: other.hmac)
    }
  }

  /// Where the plaintext of pages comes from.
  enum Source {
    /// The file, whose codes must be right.
    case file
    /// The file. It is compared with what SQLCipher encrypts.
    case uncheckedFile
    /// Memory: see ``plan(_:_:at:)``. It is compared with what SQLCipher encrypts.
    case memory
  }

  /// A page whose code SQLCipher asks for.
  @safe struct AskedPage {
    // SAFETY: only compared, or used until SQLCipher has the code.
    var bytes: UnsafePointer<UInt8>?
    /// How many bytes the code depends on.
    var count = 0
    var number: UInt32 = 0
    var algorithm: CInt = 0
  }

  /// How many lanes have memory.
  private var laneCount: Int { ReadAheadWorkers.mostLanes * (isCopied ? 2 : 1) }

  static let mostPages = 64
  /// Slots that are allocated at once.
  private static let chunkSlots = 4
  /// How many pages a worker reads with one call of the system, if they follow each other.
  private static let readAtOnce = 4

  // The lowest bits of a slot's state; the position is above them.
  private static let free = 0
  private static let planned = 1
  private static let working = 2
  private static let ready = 3
  private static let failed = 4
  private static let taken = 5
  /// With the page's bytes as they are in the file.
  private static let read = 6
  private static let codeBits = 3

  let layout: Layout
  let capacity: Int
  /// Whether slots have room for the pages of a copy.
  private let isCopied: Bool
  private let descriptor: CInt
  private let slotSize: Int
  // SAFETY: `init` allocates all of these, and `release` frees them when no worker uses them.
  @safe private let numbers: UnsafeMutablePointer<UInt32>
  @safe private let states: UnsafeMutablePointer<Atomic<Int>>
  @safe private let chunks: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// The context of each worker; number 0 is the scan's own. Those for a copy follow them.
  @safe private let lanes: UnsafeMutablePointer<CipherContext>
  /// The file's keys, and those of a copy.
  @safe private let keys: UnsafeMutablePointer<Keys>
  private let source: Source
  /// Whether the keys of a copy are known.
  private let hasCopyKeys = Atomic<Bool>(false)
  @safe private let functions: UnsafePointer<CipherContext.Functions>

  /// The position after the last one that is planned.
  private let end = Atomic<Int>(0)
  /// The next position that nobody has claimed.
  private let claim = Atomic<Int>(0)
  /// When the scan came to its last page.
  private let lastScan = Atomic<Int>(0)
  /// How long a scan counts as one after a page, in nanoseconds: some ticks of the clock.
  private static let scanTime = 20_000_000
  /// Whether workers leave it.
  let isEnding = Atomic<Bool>(false)
  /// How many workers are at it; guarded by the workers' mutex.
  @safe @exclusivity(unchecked) var holders = 0

  /// Nil if there is no memory, or less is allowed than a few pages need.
  init?(
    _ layout: Layout, _ keys: Keys, source: Source, isCopied: Bool, mostBytes: Int,
    descriptor: CInt, _ functions: UnsafePointer<CipherContext.Functions>
  ) {
    let slotSize =
      Form.copy.offset(layout)
      + (isCopied ? layout.pageSize + Layout.mostCodeBytes + Layout.markSize : 0)
    // A page more is the predictor's, and contexts are small.
    let chunkCount = (mostBytes - 2 * layout.pageSize) / slotSize / Self.chunkSlots
    guard chunkCount > 0 || !isCopied else { return nil }
    let laneCount = ReadAheadWorkers.mostLanes * (isCopied ? 2 : 1)
    let lanesSize = unsafe MemoryLayout<CipherContext>.stride * laneCount
    guard let memory = unsafe SQLite.allocate(2 * MemoryLayout<Keys>.stride) else { return nil }
    guard let lanes = unsafe SQLite.allocate(lanesSize) else {
      unsafe SQLite.free(memory)
      return nil
    }
    self.keys = unsafe memory.bindMemory(to: Keys.self, capacity: 2)
    unsafe self.keys.initialize(repeating: keys, count: 2)
    (self.layout, self.descriptor) = (layout, descriptor)
    (self.source, self.isCopied) = (source, isCopied)
    self.functions = unsafe functions
    self.slotSize = slotSize
    capacity = min(Self.mostPages, max(1, chunkCount) * Self.chunkSlots)
    numbers = .allocate(capacity: capacity)
    unsafe numbers.initialize(repeating: 0, count: capacity)
    states = .allocate(capacity: capacity)
    for slot in 0..<capacity { unsafe (states + slot).initialize(to: Atomic(Self.free)) }
    let allChunks = capacity / Self.chunkSlots
    chunks = .allocate(capacity: allChunks)
    unsafe chunks.initialize(repeating: nil, count: allChunks)
    self.lanes = unsafe lanes.bindMemory(to: CipherContext.self, capacity: laneCount)
    for lane in 0..<laneCount {
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
    for lane in 0..<laneCount { unsafe lanes[lane].free() }
    unsafe explicit_bzero(lanes, MemoryLayout<CipherContext>.stride * laneCount)
    unsafe SQLite.free(lanes)
    unsafe explicit_bzero(keys, 2 * MemoryLayout<Keys>.stride)
    unsafe SQLite.free(keys)
    unsafe numbers.deallocate()
    unsafe states.deallocate()
    unsafe chunks.deallocate()
  }

  // MARK: The scan's thread

  func keys(_ form: Form) -> Keys { keys[form == .copy ? 1 : 0] }

  /// The page of a position that is planned or taken.
  func number(at position: Int) -> UInt32 { numbers[position % capacity] }

  /// Begins to make pages of a copy.
  func setCopyKeys(_ new: Keys) {
    guard isCopied, !hasCopyKeys.load(ordering: .relaxed) else { return }
    keys[1] = new
    hasCopyKeys.store(true, ordering: .releasing)
  }

  /// A time in nanoseconds, of a clock that costs little and ticks every few milliseconds.
  static var now: Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Notes that the scan has come to another page.
  func noteScan() { lastScan.store(Self.now, ordering: .relaxed) }

  /// Whether the scan's thread probably has a core.
  ///
  /// - Parameter time: ``now``.
  func isScanning(at time: Int) -> Bool {
    time - lastScan.load(ordering: .relaxed) < Self.scanTime
  }

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

  /// Plans a page with this plaintext at the prepared position, the one after the last.
  func plan(_ number: UInt32, _ plaintext: UnsafePointer<UInt8>, at position: Int) {
    // SAFETY: the caller has as many bytes as are encrypted, and nobody else is at a free slot.
    unsafe memcpy(
      memory(position % capacity) + layout.pageSize, plaintext, layout.cipherCount)
    plan(number, at: position)
  }

  private func addChunk(_ chunk: Int) -> Bool {
    unsafe chunks[chunk] = unsafe SQLite.allocate(slotSize * Self.chunkSlots)
    return unsafe chunks[chunk] != nil
  }

  /// Makes a slot free, unless a worker is at it.
  private func clear(_ slot: Int) -> Past {
    let state = states[slot].load(ordering: .acquiring)
    switch state & (1 << Self.codeBits - 1) {
    case Self.planned, Self.read: return free(slot, from: state) ? .none : .busy
    case Self.working: return .busy
    case Self.ready:
      states[slot].store(Self.free, ordering: .relaxed)
      return .wasted
    default: return .none
    }
  }

  /// Frees a slot at which no worker is; false, and nothing is changed, if one was faster.
  private func free(_ slot: Int, from state: Int) -> Bool {
    states[slot].compareExchange(
      expected: state, desired: Self.free, ordering: .acquiringAndReleasing
    ).exchanged
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
  private var mostLooks: Int { isCopied ? 12_000 : 4000 }

  /// Whether a page is ready.
  ///
  /// It never waits for a thread that may not run: a page that nobody has begun is left to the
  /// caller. While a worker is at it, this does the next page that nobody has claimed, if it helps,
  /// and then looks for a little while.
  func isReady(_ position: Int, helps: Bool = true) -> Bool {
    let slot = position % capacity
    var looks = 0
    while true {
      let state = states[slot].load(ordering: .acquiring)
      guard state >> Self.codeBits == position else { return false }
      switch state & (1 << Self.codeBits - 1) {
      case Self.ready: return true
      case Self.planned, Self.read:
        if free(slot, from: state) { return false }
      case Self.working:
        if helps, looks == 0, work(lane: 0, most: 1) > 0 {
          looks = 1
          continue
        }
        looks += 1
        guard looks < mostLooks else { return false }
      default: return false
      }
    }
  }

  /// Copies the code of a page that is ready, or taken, if it was made from these bytes.
  func copyCode(
    _ form: Form, _ position: Int, ifMadeFrom input: UnsafePointer<UInt8>,
    to output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let bytes = unsafe memory(position % capacity) + form.offset(layout)
    // SAFETY: the caller has as many bytes as the code depends on, and room for a code.
    guard unsafe memcmp(input, bytes, layout.authenticatedCount) == 0 else { return false }
    unsafe memcpy(output, bytes + form.codeOffset(layout), layout.codeSize)
    return true
  }

  /// Copies the code of a page whose ciphertext was copied, if it was made for what is asked for.
  func copyCode(
    _ form: Form, _ position: Int, for page: AskedPage, _ key: KeptKey,
    to output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard let bytes = unsafe page.bytes, page.count == layout.authenticatedCount,
      page.algorithm == layout.algorithm, page.number == number(at: position),
      keys(form).hmac.isSame(as: key)
    else { return false }
    return unsafe copyCode(form, position, ifMadeFrom: bytes, to: output)
  }

  /// Copies the plaintext of a ready page whose code was copied.
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
    setTaken(position)
    return true
  }

  /// Notes that a ready page needs no plaintext.
  func setTaken(_ position: Int) {
    states[position % capacity].store(position << Self.codeBits | Self.taken, ordering: .relaxed)
  }

  /// The first taken page that has this plaintext, and whose ciphertext was made; nil if there is
  /// none.
  func taken(
    _ form: Form, _ plaintext: UnsafePointer<UInt8>, in positions: Range<Int>
  ) -> Int? {
    positions.first(where: { position in
      let slot = position % capacity
      guard states[slot].load(ordering: .relaxed) == position << Self.codeBits | Self.taken else {
        return false
      }
      let memory = unsafe memory(slot)
      // SAFETY: the caller has as many bytes as are encrypted. A slot of a copy ends with the mark.
      return unsafe (form == .file || hasCopy(memory))
        && memcmp(plaintext, memory + layout.pageSize, layout.cipherCount) == 0
    })
  }

  /// Copies the ciphertext of a taken page, with its IV.
  func copyCiphertext(
    _ form: Form, _ position: Int, to output: UnsafeMutablePointer<UInt8>
  ) {
    let slot = unsafe memory(position % capacity)
    // SAFETY: the caller has room for what is encrypted, and an IV.
    unsafe memcpy(output, slot + form.offset(layout), layout.authenticatedCount)
    if form == .copy { unsafe setHasCopy(false, slot) }
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
    while done < most, !isEnding.load(ordering: .relaxed),
      let positions = claimNext(atMost: min(Self.readAtOnce, most - done))
    {
      if positions.count > 1 { read(positions) }
      for position in positions where fill(position, lane) { done += 1 }
    }
    return done
  }

  private func claimNext(atMost most: Int) -> Range<Int>? {
    var current = claim.load(ordering: .acquiring)
    while true {
      let end = end.load(ordering: .acquiring)
      guard current < end else { return nil }
      // Others have something to do, too.
      let next = current + max(1, min(most, (end - current) / 2))
      let result = claim.compareExchange(
        expected: current, desired: next, ordering: .acquiringAndReleasing)
      if result.exchanged { return current..<next }
      current = result.original
    }
  }

  /// Changes the state of a slot whose page waits, or was only read.
  ///
  /// - Returns: False, and nothing is changed, if another thread was faster.
  private func change(_ position: Int, from state: Int, to newState: Int) -> Bool {
    let bits = position << Self.codeBits
    return states[position % capacity].compareExchange(
      expected: bits | state, desired: bits | newState, ordering: .acquiringAndReleasing
    ).exchanged
  }

  private func set(_ position: Int, to state: Int) {
    states[position % capacity].store(position << Self.codeBits | state, ordering: .releasing)
  }

  /// Reads pages, with one call for those that follow each other in the file.
  private func read(_ positions: Range<Int>) {
    guard source != .memory else { return }
    var run = positions.lowerBound..<positions.lowerBound
    for position in positions where change(position, from: Self.planned, to: Self.working) {
      let follows =
        run.upperBound == position && !run.isEmpty
        && number(at: position) == number(at: position - 1) &+ 1
      if !follows {
        readAtOnce(run)
        run = position..<position
      }
      run = run.lowerBound..<position + 1
    }
    readAtOnce(run)
  }

  private func readAtOnce(_ run: Range<Int>) {
    guard !run.isEmpty else { return }
    let offset = (Int(number(at: run.lowerBound)) - 1) * layout.pageSize
    let bytes = unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: run.count) { parts in
      for (index, position) in run.enumerated() {
        // SAFETY: a slot begins with room for a page, and is this thread's alone.
        unsafe parts[index] = unsafe iovec(
          iov_base: memory(position % capacity), iov_len: layout.pageSize)
      }
      return unsafe preadv(descriptor, parts.baseAddress, CInt(run.count), offset)
    }
    for (index, position) in run.enumerated() {
      set(position, to: bytes >= (index + 1) * layout.pageSize ? Self.read : Self.failed)
    }
  }

  private func fill(_ position: Int, _ lane: Int) -> Bool {
    let isRead = change(position, from: Self.read, to: Self.working)
    guard isRead || change(position, from: Self.planned, to: Self.working) else { return false }
    let isFilled = unsafe fill(
      memory(position % capacity), number(at: position), lane, isRead: isRead)
    set(position, to: isFilled ? Self.ready : Self.failed)
    return true
  }

  private func fill(
    _ slot: UnsafeMutableRawPointer, _ number: UInt32, _ lane: Int, isRead: Bool
  ) -> Bool {
    // SAFETY: a slot has room for a page as it is in the file, its plaintext, and a code, and that
    // of a copy for a page, a code and a mark behind them.
    let raw = unsafe slot.assumingMemoryBound(to: UInt8.self)
    let plaintext = unsafe raw + layout.pageSize
    if source != .memory {
      guard unsafe isRead || read(number, to: raw), unsafe decrypt(raw, plaintext, number, lane)
      else { return false }
    }
    guard isCopied else { return true }
    unsafe setHasCopy(false, slot)
    guard hasCopyKeys.load(ordering: .acquiring) else { return true }
    let copy = unsafe raw + Form.copy.offset(layout)
    let iv = unsafe copy + layout.cipherCount
    guard unsafe context(.copy, lane).pointee.random(iv, CInt(Layout.ivSize)) == SQLite.ok,
      unsafe crypt(.copy, mode: 1, iv: iv, plaintext, copy, lane),
      unsafe authenticate(.copy, copy, number, lane)
    else { return true }
    unsafe setHasCopy(true, slot)
    return true
  }

  private func read(_ number: UInt32, to raw: UnsafeMutablePointer<UInt8>) -> Bool {
    let offset = (Int(number) - 1) * layout.pageSize
    return unsafe pread(descriptor, raw, layout.pageSize, offset) == layout.pageSize
  }

  private func decrypt(
    _ raw: UnsafeMutablePointer<UInt8>, _ plaintext: UnsafeMutablePointer<UInt8>,
    _ number: UInt32, _ lane: Int
  ) -> Bool {
    unsafe (source == .uncheckedFile || authenticate(.file, raw, number, lane))
      && crypt(.file, mode: 0, iv: raw + layout.cipherCount, raw, plaintext, lane)
  }

  // SAFETY: in a window whose pages are copied, a slot ends with the mark.
  private func hasCopy(_ slot: UnsafeMutableRawPointer) -> Bool {
    unsafe slot.load(fromByteOffset: slotSize - Layout.markSize, as: UInt8.self) == 1
  }

  private func setHasCopy(_ hasCopy: Bool, _ slot: UnsafeMutableRawPointer) {
    unsafe slot.storeBytes(
      of: hasCopy ? 1 : 0, toByteOffset: slotSize - Layout.markSize, as: UInt8.self)
  }

  /// Writes the code of a page behind it.
  private func authenticate(
    _ form: Form, _ page: UnsafeMutablePointer<UInt8>, _ number: UInt32, _ lane: Int
  ) -> Bool {
    var bytes = number.littleEndian
    return unsafe withUnsafeBytes(of: &bytes) { number in
      unsafe withUnsafeBytes(of: keys(form).hmac.words) { key in
        unsafe context(form, lane).pointee.authenticate(
          layout.algorithm, key.baseAddress!.assumingMemoryBound(to: UInt8.self), 32, page,
          CInt(layout.authenticatedCount),
          number.baseAddress!.assumingMemoryBound(to: UInt8.self), 4,
          page + form.codeOffset(layout))
      } == SQLite.ok
    }
  }

  private func crypt(
    _ form: Form, mode: CInt, iv: UnsafePointer<UInt8>, _ input: UnsafePointer<UInt8>,
    _ output: UnsafeMutablePointer<UInt8>, _ lane: Int
  ) -> Bool {
    unsafe withUnsafeBytes(of: keys(form).page.words) { key in
      unsafe context(form, lane).pointee.crypt(
        mode, key.baseAddress!.assumingMemoryBound(to: UInt8.self), 32, iv, input,
        CInt(layout.cipherCount), output)
    } == SQLite.ok
  }

  private func context(_ form: Form, _ lane: Int) -> UnsafeMutablePointer<CipherContext> {
    unsafe lanes + (form == .copy ? ReadAheadWorkers.mostLanes + lane : lane)
  }

  private func memory(_ slot: Int) -> UnsafeMutableRawPointer {
    unsafe chunks[slot / Self.chunkSlots]! + slot % Self.chunkSlots * slotSize
  }
}
