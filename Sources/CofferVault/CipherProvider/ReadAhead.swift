import CofferSQLite
import Glibc

/// The pages of one encrypted file of a connection that are decrypted ahead of its scans.
///
/// SQLCipher asks its provider for the code of each page that SQLite has read, and then for the
/// plaintext. From the interior pages among these follows what a scan reads next, see
/// ``PagePredictor``, and workers read, authenticate and decrypt that, see ``ReadAheadWindow``.
///
/// What must hold:
/// - A result is used only if it was made with the same keys, the same algorithm and the same page
///   number, from the same bytes that SQLite has just read. SQLCipher compares the code with the
///   page's, as always. So a wrong prediction costs time alone, as does a page that another
///   connection changes meanwhile, or one whose newest version is in the log.
/// - A page is encrypted ahead only with the keys that SQLCipher then gives, and from the plaintext
///   that it gives; and it gets an IV of its own, or the bytes that the file has for it. For
///   ordinary writes, see ``WriteAhead``.
/// - All memory is wiped and freed as the transaction ends, or a pass over all pages, as the key
///   changes, and as the file is closed, and no worker reads the file afterwards.
///
/// Only the connection's thread uses it.
@safe package final class ReadAhead: FileReader {
  /// What was read ahead so far.
  package struct Counts: Sendable {
    /// Pages that SQLCipher got.
    package var used = 0
    /// Pages that nobody asked for, or that had changed.
    package var unused = 0
    /// Pages that SQLCipher got encrypted, of this file or of a copy.
    package var encrypted = 0
  }

  static let mostBytes = 1 << 20
  private static let firstSize = 4
  private static let firstSizeInOrder = 16
  /// How many other pages may be written between those that a key change writes in order.
  private static let mostWrittenBetween = 4

  private let workers: ReadAheadWorkers
  @safe private let functions: UnsafePointer<CipherContext.Functions>
  /// Nil as soon as the file is closed.
  private var descriptor: CInt?

  @safe @exclusivity(unchecked) private var predictor = PagePredictor()
  @safe @exclusivity(unchecked) private var window: ReadAheadWindow?

  /// The page whose code was asked for last.
  @safe @exclusivity(unchecked) private var asked = ReadAheadWindow.AskedPage()
  /// The position of that page, if its code came from the window.
  @safe @exclusivity(unchecked) private var found: Int?

  /// How much memory the window may take.
  private var mostBytes = ReadAhead.mostBytes
  private var progress = WindowProgress(size: 0)
  /// It rests for some interior pages, or for any pages, where they are read in order.
  @safe @exclusivity(unchecked) private var judgement = PredictionJudgement()

  private var past = Counts()
  /// What encrypts the pages that this file's transactions write.
  private let changes: WriteAhead

  /// Those of the file so far.
  package var counts: Counts {
    var counts = past
    if let window { counts.unused += window.countReady() }
    counts.encrypted += changes.counts.encrypted
    counts.unused += changes.counts.unused
    return counts
  }

  /// Whether the file is closed, or has another key.
  package var isClosed: Bool { descriptor == nil }

  /// Whether all pages are being read in the order of their numbers, as by a backup, or by a key
  /// change, which uses two keys.
  private(set) var readsInOrder = false { didSet { stop() } }

  /// Whether the pages are copied to a file that this connection's thread writes, too.
  @safe @exclusivity(unchecked) private var isCopied = false
  /// The file whose pages are copied to this one.
  @safe @exclusivity(unchecked) private unowned var original: ReadAhead?
  /// The position after the last page whose ciphertext was given away.
  @safe @exclusivity(unchecked) private var copiedHead = 0
  /// The position of the last page whose ciphertext was given away.
  @safe @exclusivity(unchecked) private var encrypted: (form: ReadAheadWindow.Form, position: Int)?
  /// The pages that a key change is to write with another key, some time after it has read them.
  @safe @exclusivity(unchecked) private var writer: ReadAhead?
  /// The page key with which this encrypts ahead of a key change.
  @safe @exclusivity(unchecked) private var writtenKey: KeptKey?

  /// Executes `body`, which reads all pages in the order of their numbers.
  ///
  /// - Parameter copy: The file to which it writes them with the same numbers, soon after they were
  ///   read: after no more than ``nearPages`` others.
  package func readingInOrder<T>(
    copyingTo copy: ReadAhead? = nil, _ body: () throws -> T
  ) rethrows -> T {
    isCopied = copy != nil
    copy?.original = self
    readsInOrder = true
    if copy == nil, let descriptor {
      writer = unsafe ReadAhead(descriptor: descriptor, functions, workers: workers)
      writer?.isCopied = true
      writer?.readsInOrder = true
      mostBytes /= 2
      writer?.mostBytes = mostBytes
    }
    defer {
      readsInOrder = false
      copy?.original = nil
      isCopied = false
      endWriter()
    }
    return try body()
  }

  /// Whether ciphertext can be known before SQLCipher encrypts a page.
  @inline(__always)
  var encryptsAhead: Bool { readsInOrder || original != nil }

  /// How many pages are copied before a copied page is written.
  package static let nearPages = 16

  /// Whether pages are being read or encrypted ahead.
  package var isActive: Bool { window != nil || changes.isActive }

  init(
    descriptor: CInt, _ functions: UnsafePointer<CipherContext.Functions>,
    workers: ReadAheadWorkers = .shared
  ) {
    (self.descriptor, self.workers) = (descriptor, workers)
    self.functions = unsafe functions
    changes = unsafe WriteAhead(functions, workers: workers)
  }

  deinit { close() }

  /// The environment variable that keeps connections from reading ahead.
  private static let variable = "COFFER_NO_READ_AHEAD"

  /// Whether connections may read ahead.
  package static let isAllowed: Bool = {
    guard let value = unsafe getenv(variable) else { return true }
    return unsafe ["", "0"].contains(String(cString: value))
  }()

  /// Whether there is more than one core.
  package static let isWorthwhile = sysconf(CInt(_SC_NPROCESSORS_ONLN)) > 1

  /// Begins with a file that was just given a key.
  ///
  /// - Returns: Nil if SQLCipher's provider has the key, or the file's descriptor isn't known.
  static func begin(
    _ schema: String, of connection: SQLiteConnection,
    _ context: UnsafeMutablePointer<CipherContext>?
  ) -> ReadAhead? {
    guard isAllowed, let context = unsafe context else { return nil }
    let functions = unsafe context.pointee.functions
    let readAhead = FileLayer.addReader(to: schema, of: connection) {
      unsafe ReadAhead(descriptor: $0, functions)
    }
    unsafe context.pointee.setReadAhead(readAhead)
    return readAhead
  }

  // MARK: SQLCipher's calls

  /// Writes the code of a page, if it is known.
  @inline(__always)
  func authenticate(
    _ algorithm: CInt, _ key: KeptKey, _ input: UnsafePointer<UInt8>, _ count: CInt,
    _ number: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    // SAFETY: the caller passes the address of four bytes.
    let number = unsafe UInt32(
      littleEndian: UnsafeRawPointer(number).loadUnaligned(as: UInt32.self))
    asked = unsafe ReadAheadWindow.AskedPage(
      bytes: input, count: Int(count), number: number, algorithm: algorithm)
    if let original { return unsafe original.copyCode(of: asked, key, output) }
    if changes.hasGiven { return unsafe changes.copyCode(of: asked, key, output) }
    guard let window else { return false }
    if let writer, !window.keys(.file).hmac.isSame(as: key) {
      return unsafe authenticate(writtenBy: writer, in: window, key, output)
    }
    return unsafe find(in: window, key, input, output)
  }

  /// Writes a page's ciphertext and IV, if they are known.
  ///
  /// A key change reads a page, writes it to the rollback journal with the old key, which results
  /// in what was read, and some hundred pages later to the file with the new one. For the latter,
  /// workers read it once more. A copy's pages are encrypted as they are read, before the copy
  /// writes them, and those of other transactions before SQLite writes them.
  /// - Parameter iv: What SQLCipher has chosen; it is replaced, if it follows the output.
  @inline(never)
  func encrypt(
    _ keys: ReadAheadWindow.Keys, _ input: UnsafePointer<UInt8>, _ count: CInt,
    _ iv: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard unsafe iv == UnsafePointer(output + Int(count)) else { return false }
    guard encryptsAhead else {
      guard changes.noteWritten() else { return false }
      // What was read ahead is of no use any more, and both would take more than is allowed.
      if window != nil { stopReading() }
      return unsafe changes.encrypt(
        keys, input, count, algorithm: asked.algorithm, to: output)
    }
    if let original { return unsafe original.encrypt(.copy, keys, input, count, output) }
    guard let window else { return false }
    guard window.keys(.file).page.isSame(as: keys.page) else {
      return unsafe writer?.encryptNext(keys.page, input, count, output) ?? false
    }
    // The page was read right before.
    guard progress.head > 0, window.number(at: progress.head - 1) == asked.number else {
      return false
    }
    return unsafe encrypt(.file, keys, input, count, output)
  }

  private func encrypt(
    _ form: ReadAheadWindow.Form, _ keys: ReadAheadWindow.Keys, _ input: UnsafePointer<UInt8>,
    _ count: CInt, _ output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    encrypted = nil
    guard let window, Int(count) == window.layout.cipherCount else { return false }
    let head = progress.head
    if form == .copy, keys.hmac.isSet { window.setCopyKeys(keys) }
    guard window.keys(form).page.isSame(as: keys.page),
      let position = unsafe window.taken(
        form, input,
        in: form == .file ? head - 1..<head : max(copiedHead, head - window.capacity)..<head)
    else { return false }
    unsafe window.copyCiphertext(form, position, to: output)
    if form == .copy { copiedHead = position + 1 }
    encrypted = (form, position)
    past.encrypted += 1
    return true
  }

  // MARK: A key change

  /// Writes the ciphertext of the page that is expected next, if it has this plaintext.
  private func encryptNext(
    _ key: KeptKey, _ input: UnsafePointer<UInt8>, _ count: CInt,
    _ output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    writtenKey = key
    guard let window, !ReadAheadWorkers.isForked else { return false }
    let next = progress.head
    if next < progress.end {
      if window.isReady(next, helps: false) { window.setTaken(next) }
      progress.move(past: next, in: window)
    }
    return unsafe encrypt(
      .copy, ReadAheadWindow.Keys(page: key, hmac: KeptKey()), input, count, output)
  }

  /// Writes the code of the page that was just encrypted with another key than the window's, if it
  /// is known, and has the next ones encrypted.
  @inline(never)
  private func authenticate(
    writtenBy writer: ReadAhead, in window: ReadAheadWindow, _ key: KeptKey,
    _ output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard let page = writer.writtenKey else { return false }
    writer.writtenKey = nil
    writer.asked = asked
    let isKnown = unsafe writer.copyCode(of: asked, key, output)
    writer.noteWritten(isKnown: isKnown)
    if writer.window == nil, !writer.judgement.isResting() {
      writer.begin(
        with: window.keys(.file), copyKeys: ReadAheadWindow.Keys(page: page, hmac: key))
    }
    return isKnown
  }

  /// Goes on after the page that was just written.
  private func noteWritten(isKnown: Bool) {
    guard let window else { return }
    let (number, head) = (asked.number, progress.head)
    if head == 0 || window.number(at: head - 1) != number {
      // Another page may have been written in between, as the first one at the end.
      let start = max(0, head - Self.mostWrittenBetween)
      guard let position = window.position(of: number, from: start) else {
        if progress.noteStranger() { stop() }
        return
      }
      progress.move(past: position, in: window)
    }
    progress.noteHit()
    if isKnown { judgement.used += 1 } else { judgement.unused += 1 }
    advance()
  }

  private func endWriter() {
    guard let writer else { return }
    self.writer = nil
    writer.close()
    mostBytes = Self.mostBytes
    past.encrypted += writer.past.encrypted
    past.unused += writer.past.unused
  }

  /// Writes the code of a page whose ciphertext was just given away.
  private func copyCode(
    of page: ReadAheadWindow.AskedPage, _ key: KeptKey, _ output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard let (form, position) = encrypted, let window else { return false }
    encrypted = nil
    return unsafe window.copyCode(form, position, for: page, key, to: output)
  }

  /// Writes the plaintext of the page whose code was asked for last, if it is known.
  @inline(__always)
  func decrypt(
    _ key: KeptKey, _ input: UnsafePointer<UInt8>, _ count: CInt, _ iv: UnsafePointer<UInt8>,
    _ output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard let found else { return false }
    return unsafe take(found, key, input, count, iv, output)
  }

  /// Notes the plaintext of the page whose code was asked for last.
  ///
  /// - Returns: Whether to read ahead, see ``begin(with:)``.
  @inline(__always)
  func note(
    _ input: UnsafePointer<UInt8>, _ plaintext: UnsafePointer<UInt8>, _ count: CInt
  ) -> Bool {
    changes.endRun()
    let number = asked.number
    // The first page is a part of no scan that is long.
    guard unsafe input == asked.bytes, number != 1 else { return false }
    unsafe asked.bytes = nil
    if readsInOrder { return window == nil && !judgement.isResting() }
    if unsafe PagePredictor.isInterior(plaintext.pointee) {
      unsafe noteInterior(plaintext, Int(count))
      return false
    }
    return predictor.noteOther(number)
  }

  @inline(never)
  private func noteInterior(_ plaintext: UnsafePointer<UInt8>, _ count: Int) {
    if judgement.isResting() { return }
    unsafe predictor.noteInterior(plaintext, count)
  }

  /// Begins to read ahead, with the keys of the pages that were noted.
  ///
  /// - Parameter copyKeys: The keys with which a key change writes the pages; nil if they are read.
  func begin(with keys: ReadAheadWindow.Keys, copyKeys: ReadAheadWindow.Keys? = nil) {
    if window == nil {
      guard let descriptor, !ReadAheadWorkers.isForked,
        let layout = ReadAheadWindow.Layout(
          algorithm: asked.algorithm,
          cipherCount: asked.count - ReadAheadWindow.Layout.ivSize),
        let window = unsafe ReadAheadWindow(
          layout, keys, source: copyKeys == nil ? .file : .uncheckedFile, isCopied: isCopied,
          mostBytes: mostBytes, descriptor: descriptor, functions)
      else { return predictor.stop() }
      guard workers.begin(window) else {
        window.release()
        return predictor.stop()
      }
      if let copyKeys { window.setCopyKeys(copyKeys) }
      changes.stop()
      self.window = window
      progress = WindowProgress(
        size: readsInOrder ? min(Self.firstSizeInOrder, mostPlanned(in: window)) : Self.firstSize)
      judgement.begin()
      (copiedHead, encrypted) = (0, nil)
      if readsInOrder {
        predictor.beginSequence(
          after: asked.number, last: pageCount(descriptor, layout.pageSize))
      }
    }
    plan()
  }

  /// How many pages the file has.
  private func pageCount(_ descriptor: CInt, _ pageSize: Int) -> UInt32 {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return 0 }
    return min(UInt32(clamping: Int(status.st_size) / pageSize), .max - 1)
  }

  // MARK: The window

  private func plan() {
    guard let window, progress.isDue else { return }
    let begin = progress.end
    while progress.hasRoom {
      let past = window.prepare(progress.end)
      if past == .wasted { tally(used: 0, unused: 1) }
      // A slot that a worker is at is left for the next time.
      guard past != .busy, let next = predictor.predict() else { break }
      window.plan(next, at: progress.end)
      progress.notePlanned()
    }
    if progress.end > begin { workers.wake(for: window) }
  }

  @inline(never)
  private func find(
    in window: ReadAheadWindow, _ key: KeptKey, _ input: UnsafePointer<UInt8>,
    _ output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    found = nil
    guard !ReadAheadWorkers.isForked else {
      stop()
      return false
    }
    if encrypted != nil, unsafe copyCode(of: asked, key, output) { return true }
    // A page is being written with another key.
    guard window.keys(.file).hmac.isSame(as: key) else { return false }
    guard let position = window.position(of: asked.number, from: progress.head) else {
      if progress.noteStranger() { stop() }
      return false
    }
    window.noteScan()
    progress.noteHit()
    progress.move(past: position, in: window)
    guard asked.count == window.layout.authenticatedCount,
      asked.algorithm == window.layout.algorithm, window.isReady(position),
      unsafe window.copyCode(.file, position, ifMadeFrom: input, to: output)
    else {
      advance()
      return false
    }
    found = position
    return true
  }

  @inline(never)
  private func take(
    _ position: Int, _ key: KeptKey, _ input: UnsafePointer<UInt8>, _ count: CInt,
    _ iv: UnsafePointer<UInt8>,
    _ output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    found = nil
    guard let window, window.keys(.file).page.isSame(as: key), unsafe input == asked.bytes,
      Int(count) == window.layout.cipherCount,
      unsafe window.takePlaintext(position, iv, to: output)
    else { return false }
    tally(used: 1, unused: 0)
    advance()
    return true
  }

  /// In order, pages stay a while after they were taken.
  private func mostPlanned(in window: ReadAheadWindow) -> Int {
    readsInOrder ? window.capacity / 2 : window.capacity
  }

  /// Plans further, and more than before.
  private func advance() {
    guard let window else { return }
    progress.widen(upTo: mostPlanned(in: window))
    plan()
    if judgement.isBad() { stop() }
  }

  private func tally(used: Int, unused: Int) {
    past.used += used
    past.unused += unused
    judgement.used += used
    judgement.unused += unused
  }

  // MARK: Ends

  /// Wipes and frees what was read and encrypted ahead, as its key changes or the transaction ends.
  func stop() {
    changes.stop()
    stopReading()
  }

  private func stopReading() {
    writer?.stop()
    guard let window else { return }
    self.window = nil
    found = nil
    predictor.stop()
    workers.end(window)
    past.unused += window.countReady()
    window.release()
  }

  package func transactionDidEnd() {
    // As it begins to write, SQLite can begin its log anew, and gives up a lock for that.
    changes.endRun()
    if !readsInOrder { stop() }
  }

  package func fileWillClose() { close() }

  /// Ends all use of the file, and wipes and frees everything.
  func close() {
    writer?.close()
    stop()
    descriptor = nil
    unsafe asked.bytes = nil
    predictor.free()
  }
}
