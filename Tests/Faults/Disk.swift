import CRecorder
import CofferTestSupport

/// A disk that keeps apart what was written and what was synced.
struct Disk {
  /// What happened to a file or a name, in the order of time.
  enum Event {
    case create(file: Int, name: String)
    case write(file: Int, offset: Int, bytes: ArraySlice<UInt8>)
    case truncate(file: Int, size: Int)
    case sync(file: Int)
    case syncFolder
    case syncAll
    case unlink(name: String)
    case rename(from: String, to: String)
    case link(from: String, to: String)
    case mark(String)
  }

  /// What a power cut does to what wasn't synced.
  enum Cut: CaseIterable {
    /// All of it is lost.
    case drops
    /// Nothing is lost.
    case keeps
    /// Any part of it is lost: sectors of 512 bytes, in any order.
    case tears
  }

  private struct File {
    var synced: [UInt8] = []
    var pending: [Event] = []
  }

  private var files: [Int: File] = [:]
  /// The names after a power cut, and the changes to them that aren't synced.
  private var names: [String: Int] = [:]
  private var pendingNames: [Event] = []
  /// The names as the program sees them.
  private var seenNames: [String: Int] = [:]

  /// A disk with these files, all of which are synced. Their numbers are their places in `order`.
  init(_ contents: [String: [UInt8]], order: [String]) {
    for (number, name) in order.enumerated() {
      files[number] = File(synced: contents[name] ?? [])
      names[name] = number
    }
    seenNames = names
  }

  mutating func apply(_ event: Event) {
    switch event {
    case .create(let file, let name):
      files[file] = File()
      seenNames[name] = file
      pendingNames.append(event)
    case .write(let file, _, _), .truncate(let file, _):
      files[file]?.pending.append(event)
    case .sync(let file): sync(file)
    case .syncFolder: syncNames()
    case .syncAll:
      for file in files.keys { sync(file) }
      syncNames()
    case .unlink, .rename, .link:
      Self.change(&seenNames, event)
      pendingNames.append(event)
    case .mark: break
    }
  }

  private mutating func sync(_ file: Int) {
    guard var content = files[file] else { return }
    for event in content.pending { Self.change(&content.synced, event) }
    content.pending = []
    files[file] = content
  }

  private mutating func syncNames() {
    names = seenNames
    pendingNames = []
  }

  /// The files that are there after a power cut.
  func image(_ cut: Cut, using random: inout SeededGenerator) -> [String: [UInt8]] {
    // Journaling file systems keep the order of changes to names.
    var left = names
    let kept =
      switch cut {
      case .drops: 0
      case .keeps: pendingNames.count
      case .tears: Int.random(in: 0...pendingNames.count, using: &random)
      }
    for event in pendingNames.prefix(kept) { Self.change(&left, event) }
    return left.mapValues { number in
      guard let file = files[number] else { return [] }
      var bytes = file.synced
      switch cut {
      case .drops: break
      case .keeps: for event in file.pending { Self.change(&bytes, event) }
      case .tears: for event in file.pending { Self.tear(&bytes, event, &random) }
      }
      return bytes
    }
  }

  // MARK: Changes

  private static func change(_ names: inout [String: Int], _ event: Event) {
    switch event {
    case .create(let file, let name): names[name] = file
    case .unlink(let name): names[name] = nil
    case .rename(let old, let new):
      names[new] = names[old]
      names[old] = nil
    case .link(let old, let new): names[new] = names[old]
    default: break
    }
  }

  private static func change(_ bytes: inout [UInt8], _ event: Event) {
    switch event {
    case .write(_, let offset, let written): put(written, into: &bytes, at: offset)
    case .truncate(_, let size): resize(&bytes, to: size)
    default: break
    }
  }

  /// Keeps some sectors of a write, or all, or none.
  private static func tear(
    _ bytes: inout [UInt8], _ event: Event, _ random: inout SeededGenerator
  ) {
    switch (event, Int.random(in: 0..<3, using: &random)) {
    case (_, 0): return
    case (.write(_, let offset, let written), 1):
      var start = written.startIndex
      while start < written.endIndex {
        let position = offset + start - written.startIndex
        let end = min(written.endIndex, start + 512 - position % 512)
        if Bool.random(using: &random) {
          put(written[start..<end], into: &bytes, at: position)
        } else if Bool.random(using: &random) {
          // The file has grown, but not got its content.
          resize(&bytes, to: max(bytes.count, position + end - start))
        }
        start = end
      }
    default: change(&bytes, event)
    }
  }

  private static func put(_ written: ArraySlice<UInt8>, into bytes: inout [UInt8], at offset: Int) {
    resize(&bytes, to: max(bytes.count, offset + written.count))
    bytes.replaceSubrange(offset..<(offset + written.count), with: written)
  }

  private static func resize(_ bytes: inout [UInt8], to size: Int) {
    if size < bytes.count {
      bytes.removeLast(bytes.count - size)
    } else {
      bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
    }
  }
}

extension Disk {
  /// Returns the disk at the beginning, and what `body` did to the files of a folder.
  static func recording(
    _ folder: String, _ body: () throws -> Void
  ) throws -> (start: Disk, events: [Event]) {
    let (start, events, error) = try recordingUntilError(folder, body)
    if let error { throw error }
    return (start, events)
  }

  /// Returns what `body` did before it threw an error, too.
  static func recordingUntilError(
    _ folder: String, _ body: () throws -> Void
  ) throws -> (start: Disk, events: [Event], error: (any Error)?) {
    var contents: [String: [UInt8]] = [:]
    var numbers: [UInt64: Int] = [:]
    let order = try Files.names(in: folder)
    for (number, name) in order.enumerated() {
      contents[name] = try Files.content(of: "\(folder)/\(name)")
      numbers[try Files.inode(of: "\(folder)/\(name)")] = number
    }
    coffer_recorder_begin(folder)
    var failure: (any Error)?
    do { try body() } catch { failure = error }
    var count = 0
    let log = coffer_recorder_end(&count)
    let bytes = [UInt8](UnsafeRawBufferPointer(start: log, count: count))
    var nextNumber = order.count
    var events: [Event] = []
    var position = 0
    while position < bytes.count {
      let record = bytes.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: position, as: coffer_recorder_record.self)
      }
      position += MemoryLayout<coffer_recorder_record>.size
      let content = bytes[position..<(position + Int(record.count))]
      position += Int(record.count)
      var text: String { String(decoding: content, as: UTF8.self) }
      var pair: (String, String) {
        let parts = text.split(separator: "\0", maxSplits: 1)
        return (String(parts[0]), String(parts[1]))
      }
      if record.kind == COFFER_RECORDER_CREATE.rawValue {
        // An inode's number can have been another file's.
        numbers[record.file] = nextNumber
        events.append(.create(file: nextNumber, name: text))
        nextNumber += 1
        continue
      }
      let file = numbers[record.file] ?? -1
      switch record.kind {
      case COFFER_RECORDER_WRITE.rawValue:
        events.append(.write(file: file, offset: Int(record.position), bytes: content))
      case COFFER_RECORDER_TRUNCATE.rawValue:
        events.append(.truncate(file: file, size: Int(record.position)))
      case COFFER_RECORDER_SYNC.rawValue: events.append(.sync(file: file))
      case COFFER_RECORDER_SYNC_FOLDER.rawValue: events.append(.syncFolder)
      case COFFER_RECORDER_SYNC_ALL.rawValue: events.append(.syncAll)
      case COFFER_RECORDER_UNLINK.rawValue: events.append(.unlink(name: text))
      case COFFER_RECORDER_RENAME.rawValue:
        events.append(.rename(from: pair.0, to: pair.1))
      case COFFER_RECORDER_LINK.rawValue: events.append(.link(from: pair.0, to: pair.1))
      default: events.append(.mark(text))
      }
    }
    return (Disk(contents, order: order), events, failure)
  }
}
