import CofferSQLite
import Glibc

/// The file beside the database, `<database>-tags`: two places for records, and the table of tags.
///
/// A record is written to the place that doesn't hold the last one, so that a write that is cut off
/// leaves that.
final class TagFile {
  private static let placeSize = 1024
  private static let placeCount = 2
  static let tableOffset = 4096

  private let file: RawFile
  private var nextPlace = 0

  static func path(forDatabaseAt path: String) -> String { path + "-tags" }

  /// Opens the file and locks it.
  ///
  /// - Parameter writes: Whether to create it, and to lock it for one writer.
  /// - Returns: Nil if there is none and it isn't created.
  /// - Throws: ``FreshnessError``, such as ``FreshnessError/inUse``.
  init?(forDatabaseAt path: String, writes: Bool) throws(FreshnessError) {
    let name = Self.path(forDatabaseAt: path)
    do {
      let isNew = unsafe access(name, F_OK) != 0
      file = try RawFile(
        path: name, flags: (writes ? O_RDWR | O_CREAT : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK)
      if writes, let objection = file.objection(besideDatabaseAt: path) {
        throw FreshnessError.recordUnavailable(reason: "\(name) is not used: \(objection)")
      }
      if writes, isNew { file.takePermissions(from: path) }
      guard try file.lock(exclusively: writes), file.hasItsName else {
        throw FreshnessError.inUse
      }
    } catch let error as RawFileError {
      if !writes, error.code == ENOENT { return nil }
      throw .recordUnavailable(reason: "\(error)")
    } catch {
      throw error as? FreshnessError ?? .inUse
    }
  }

  func unlock() { file.unlock() }

  /// Whether the file shows that the database has had an anchor.
  ///
  /// - Parameter records: The records of the file. One that follows no anchor comes before the
  ///   first anchor.
  func hasHadAnchor(_ records: [SealedState]) throws -> Bool {
    let none = [UInt8](repeating: 0, count: 16)
    if let last = records.first { return last.state.base != none || last.state.pending != none }
    return try file.read(count: Self.tableOffset, at: 0).contains { $0 != 0 }
  }

  // MARK: Records

  /// Returns the records whose seal is right, the latest first.
  func records(_ keys: FreshnessKeys) throws -> [SealedState] {
    var records: [(place: Int, state: SealedState)] = []
    for place in 0..<Self.placeCount {
      let bytes = try file.read(count: 2 * FreshnessState.byteCount, at: place * Self.placeSize)
      let single = Array(bytes.prefix(FreshnessState.byteCount))
      // A single record can be followed by what is left of a pair.
      let state = try? SealedState(bytes, keys: keys) ?? SealedState(single, keys: keys)
      if let state { records.append((place, state)) }
    }
    records.sort { $0.state.state.counter > $1.state.state.counter }
    nextPlace = records.first.map { ($0.place + 1) % Self.placeCount } ?? 0
    return records.map(\.state)
  }

  /// Writes a record, and waits until it is on the disk.
  func write(_ record: SealedState) throws(FreshnessError) {
    do {
      var bytes = record.bytes
      bytes += [UInt8](repeating: 0, count: 2 * FreshnessState.byteCount - bytes.count)
      try file.write(bytes, at: nextPlace * Self.placeSize)
      try file.sync()
    } catch {
      throw .recordUnavailable(reason: "\(error)")
    }
    nextPlace = (nextPlace + 1) % Self.placeCount
  }

  // MARK: The table

  /// Writes the entries of pages, which only serve to name what differs: nothing waits for them.
  func write(_ tags: PageTags, pages: Range<Int>) throws {
    let step = 16_384
    var start = pages.lowerBound
    while start < pages.upperBound {
      let part = start..<min(start + step, pages.upperBound)
      try file.write(tags.entries(part), at: Self.tableOffset + (start - 1) * PageTags.entrySize)
      start = part.upperBound
    }
  }

  /// Returns the tags if they are those of the state.
  func tags(of state: FreshnessState, _ keys: FreshnessKeys) throws -> PageTags? {
    let byteCount = state.pageCount * PageTags.entrySize
    guard try file.size() >= Self.tableOffset + byteCount else { return nil }
    let bytes = try file.read(count: byteCount, at: Self.tableOffset)
    guard var tags = PageTags(entries: bytes, count: state.pageCount) else { return nil }
    return try tags.root(keys) == state.root ? tags : nil
  }
}
