import CofferSQLite

/// The pages of one encrypted file of a connection that are encrypted before SQLite writes them.
///
/// A commit, and the library between two statements of a large transaction, has SQLite write pages
/// in the order of their numbers. Those that were changed one after the other, as by insertions at
/// the end of a table, also follow each other in the cache, see ``PageCacheLayout``. So from the
/// page that SQLCipher is to encrypt, the next ones are found. They are copied, and workers encrypt
/// the copies, see ``ReadAheadWindow``.
///
/// What must hold:
/// - Ciphertext is used only for the page number, the plaintext and the keys that it was made from,
///   and once. So a wrong prediction costs time alone.
/// - A write of a few pages begins nothing.
/// - All memory is wiped and freed as the transaction ends, the key changes, or a scan begins.
///
/// Only the connection's thread uses it.
@safe final class WriteAhead {
  /// How many pages are written one after the other before anything begins.
  private static let firstPages = 16
  private static let firstSize = 16
  /// With fewer pages to encrypt, nothing begins.
  private static let fewestPages = 8
  /// How many links of the cache are followed at once: beyond the planned pages, as many again.
  private static let mostSteps = 2 * ReadAheadWindow.mostPages

  private let workers: ReadAheadWorkers
  @safe private let functions: UnsafePointer<CipherContext.Functions>

  /// How many pages were written since one was read.
  @safe @exclusivity(unchecked) private var written = 0
  private var window: ReadAheadWindow?
  private lazy var proof = PageCacheLayout.Proof()
  private var progress = WindowProgress(size: 0)
  /// The numbers of the page that was written last, and of the last planned one.
  private var number: UInt32 = 0
  private var lastNumber: UInt32 = 0
  private var judgement = PredictionJudgement()
  /// The position of the page whose ciphertext was given away, until its code is.
  @safe @exclusivity(unchecked) private var given: Int?
  /// What became of pages so far.
  private(set) var counts = ReadAhead.Counts()

  /// A page of the cache.
  @safe private struct Page {
    let number: UInt32
    // SAFETY: used only until SQLCipher gets the ciphertext that it asks for.
    let address: UnsafeRawPointer
  }

  init(_ functions: UnsafePointer<CipherContext.Functions>, workers: ReadAheadWorkers) {
    self.functions = unsafe functions
    self.workers = workers
  }

  /// Whether pages are being encrypted.
  var isActive: Bool { window != nil }

  /// Whether the code of a page is asked for next.
  @inline(__always)
  var hasGiven: Bool { given != nil }

  /// Notes that SQLite reads a page, or ends a transaction.
  @inline(__always)
  func endRun() { written = 0 }

  /// Notes that SQLite writes a page.
  ///
  /// - Returns: Whether it is one of many.
  @inline(__always)
  func noteWritten() -> Bool {
    written += 1
    return written > Self.firstPages
  }

  /// Writes a page's ciphertext and IV, if they are known, and has other pages encrypted.
  func encrypt(
    _ keys: ReadAheadWindow.Keys, _ input: UnsafePointer<UInt8>, _ count: CInt, algorithm: CInt,
    to output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    given = nil
    guard !ReadAheadWorkers.isForked, keys.hmac.isSet,
      let layout = ReadAheadWindow.Layout(algorithm: algorithm, cipherCount: Int(count))
    else {
      stop()
      return false
    }
    // SAFETY: a page of the cache begins with what is encrypted, except the first one.
    let page = unsafe UnsafeRawPointer(input)
    let cache: PageCacheLayout
    switch PageCacheLayout.linked {
    case .none: return false
    case .undecided:
      PageCacheLayout.learn(from: page, size: layout.pageSize, with: &proof)
      return false
    case .proven(let proven): cache = proven
    }
    guard let number = cache.number(of: page, size: layout.pageSize) else {
      stop()
      return false
    }
    // They are written from the first one on again.
    if number <= self.number { lastNumber = number }
    self.number = number
    guard let window else {
      unsafe begin(layout, keys, after: page, in: cache)
      return false
    }
    guard window.layout == layout, window.keys(.copy).isSame(as: keys) else {
      stop()
      return false
    }
    let isKnown = unsafe take(number, from: window, input, to: output)
    if self.window != nil { unsafe advance(window, after: page, in: cache) }
    return isKnown
  }

  /// Writes the code of the page whose ciphertext was given away.
  func copyCode(
    of page: ReadAheadWindow.AskedPage, _ key: KeptKey, _ output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard let position = given, let window else { return false }
    given = nil
    return unsafe window.copyCode(.copy, position, for: page, key, to: output)
  }

  private func take(
    _ number: UInt32, from window: ReadAheadWindow, _ input: UnsafePointer<UInt8>,
    to output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    window.noteScan()
    guard let position = window.position(of: number, from: progress.head) else {
      if progress.noteStranger() { stop() }
      return false
    }
    progress.noteHit()
    progress.move(past: position, in: window)
    guard window.isReady(position) else { return false }
    window.setTaken(position)
    guard unsafe window.taken(.copy, input, in: position..<progress.head) != nil else {
      noteUnused(1)
      return false
    }
    unsafe window.copyCiphertext(.copy, position, to: output)
    judgement.used += 1
    counts.encrypted += 1
    given = position
    return true
  }

  // MARK: The window

  private func begin(
    _ layout: ReadAheadWindow.Layout, _ keys: ReadAheadWindow.Keys, after page: UnsafeRawPointer,
    in cache: PageCacheLayout
  ) {
    lastNumber = number
    guard !judgement.isBad(), !judgement.isResting(),
      case let pages = unsafe next(after: page, in: cache, size: layout.pageSize),
      pages.count >= Self.fewestPages,
      let window = unsafe ReadAheadWindow(
        layout, keys, source: .memory, isCopied: true, mostBytes: ReadAhead.mostBytes,
        descriptor: -1, functions)
    else { return endRun() }
    guard workers.begin(window) else {
      window.release()
      return endRun()
    }
    window.setCopyKeys(keys)
    self.window = window
    progress = WindowProgress(size: min(Self.firstSize, mostPlanned(in: window)))
    plan(pages, in: window)
  }

  /// Pages that are to be written after one, in the order of their numbers, without the planned
  /// ones.
  private func next(after page: UnsafeRawPointer, in cache: PageCacheLayout, size: Int) -> [Page] {
    var pages: [Page] = []
    for isLater in [true, false] where pages.isEmpty {
      var current = unsafe page
      for _ in 0..<Self.mostSteps {
        guard
          let neighbor = cache.neighbor(of: current, size: size, isLater: isLater),
          let number = cache.number(of: neighbor, size: size)
        else { break }
        if number > lastNumber { pages.append(unsafe Page(number: number, address: neighbor)) }
        unsafe current = unsafe neighbor
      }
    }
    return pages.sorted { $0.number < $1.number }
  }

  private func plan(_ pages: [Page], in window: ReadAheadWindow) {
    for page in pages {
      guard progress.hasRoom else { break }
      let past = window.prepare(progress.end)
      if past == .wasted { noteUnused(1) }
      // A slot that a worker is at is left for the next time.
      guard past != .busy else { break }
      unsafe window.plan(
        page.number, page.address.assumingMemoryBound(to: UInt8.self), at: progress.end)
      lastNumber = page.number
      progress.notePlanned()
    }
    workers.wake(for: window)
  }

  /// As many as leave the slots of the pages alone that were given away last.
  private func mostPlanned(in window: ReadAheadWindow) -> Int { window.capacity / 2 }

  /// Plans further, and more than before.
  private func advance(
    _ window: ReadAheadWindow, after page: UnsafeRawPointer, in cache: PageCacheLayout
  ) {
    if judgement.isBad() { return stop() }
    progress.widen(upTo: mostPlanned(in: window))
    guard progress.isDue else { return }
    plan(unsafe next(after: page, in: cache, size: window.layout.pageSize), in: window)
  }

  private func noteUnused(_ count: Int) {
    judgement.unused += count
    counts.unused += count
  }

  /// Wipes and frees what was encrypted.
  func stop() {
    given = nil
    guard let window else { return }
    self.window = nil
    workers.end(window)
    noteUnused(window.countReady())
    window.release()
  }
}
