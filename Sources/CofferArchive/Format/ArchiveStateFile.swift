import CofferCore
import Glibc

/// What a writer or a follower of an archive keeps beside the database, in `<database>-archive` or
/// `<database>-follow`.
///
/// It begins with a random number, and with what distinguishes the database from a copy. Behind it
/// is a state: a writer's may be lost, and a follower's is kept twice, so that a power cut leaves
/// one. The file is locked while it is used.
final class ArchiveStateFile {
  /// Who uses the file.
  enum Use: String {
    case writer = "-archive"
    case follower = "-follow"

    fileprivate var magic: [UInt8] {
      Array((self == .writer ? "Coffer archiver1" : "Coffer follower1").utf8)
    }
  }

  /// The random number, of 16 bytes.
  let number: [UInt8]
  let path: String
  /// Whether there was nothing in the file before.
  let isNew: Bool
  private let file: RawFile

  private static let identitySize = 128
  /// Where others ask a session to do something.
  private static let requestOffset = identitySize
  /// Where a session tells others of itself.
  private static let noteRange = 256..<stateOffset
  private static let stateOffset = 4_096
  private static let largestState = 1 << 30

  /// Opens the file, or creates it with a new number.
  ///
  /// - Parameters:
  ///   - database: The database, which exists for a writer.
  ///   - makeNumber: Makes a random number.
  /// - Returns: Nil if it is in use.
  /// - Throws: ``DatabaseError`` if it can't be used, or is another program's.
  init?(
    _ use: Use, forDatabaseAt database: String, makeNumber: () -> [UInt8]
  ) throws {
    let database = PendingFile.resolved(database)
    path = database + use.rawValue
    do {
      let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
      file = try RawFile(path: path, flags: flags)
      // A follower can have no database yet.
      let isAlone = use == .follower && PendingFile.size(of: database) == nil
      if let reason = file.objection(besideDatabaseAt: isAlone ? nil : database) {
        throw Self.refused(path, reason)
      }
      // One who reads a note holds the lock for a moment.
      var isLocked = try file.lock(exclusively: true)
      for _ in 0..<5 where !isLocked {
        usleep(10_000)
        isLocked = try file.lock(exclusively: true)
      }
      guard isLocked else { return nil }
      let identity = try use == .writer ? Self.identity(ofDatabaseAt: database) : Self.noIdentity
      let stored = try file.read(count: Self.identitySize, at: 0)
      isNew = stored.isEmpty
      // A power cut can leave zeros.
      if stored.contains(where: { $0 != 0 }), !stored.starts(with: use.magic) {
        throw Self.refused(path, "Coffer has not written it")
      }
      if stored.count == Self.identitySize, stored[32...].elementsEqual(identity) {
        number = Array(stored[16..<32])
      } else {
        // A copy of the database is another writer.
        number = makeNumber()
        try file.setSize(0)
        try file.write(use.magic + number + identity, at: 0)
        try file.sync()
        try PendingFile.syncFolder(of: path)
      }
    } catch let error as RawFileError {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: error.description)
    }
  }

  /// Replaces what a writer tells others, which is lost where it doesn't fit.
  func setNote(_ bytes: [UInt8]) throws {
    guard bytes.count <= Self.noteRange.count else { return }
    let padding = [UInt8](repeating: 0x20, count: Self.noteRange.count - bytes.count)
    try file.write(bytes + padding, at: Self.noteRange.lowerBound)
  }

  /// Returns what a writer tells others; nil if none uses the database now.
  static func note(ofDatabaseAt database: String) -> [UInt8]? {
    let path = PendingFile.resolved(database) + Use.writer.rawValue
    guard let file = try? RawFile(path: path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
      return nil
    }
    if (try? file.lock(exclusively: false)) != false {
      file.unlock()
      return nil
    }
    return try? file.read(count: noteRange.count, at: noteRange.lowerBound)
  }

  /// What another process asks for.
  func request(size: Int) throws -> [UInt8] {
    try file.read(count: size, at: Self.requestOffset)
  }

  /// Asks the session of a database to do something.
  static func ask(_ bytes: [UInt8], ofDatabaseAt database: String) throws {
    precondition(bytes.count <= noteRange.lowerBound - requestOffset)
    let path = PendingFile.resolved(database) + Use.writer.rawValue
    do {
      let file = try RawFile(path: path, flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK)
      if let reason = file.objection(besideDatabaseAt: database) { throw refused(path, reason) }
      guard try file.read(count: 16, at: 0) == Use.writer.magic else {
        throw refused(path, "Coffer has not written it")
      }
      try file.write(bytes, at: requestOffset)
    } catch let error as RawFileError {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: error.description)
    }
  }

  /// Whether there is such a file beside a database.
  static func exists(_ use: Use, forDatabaseAt database: String) -> Bool {
    let path = PendingFile.resolved(database) + use.rawValue
    guard let file = try? RawFile(path: path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
      let bytes = try? file.read(count: use.magic.count, at: 0)
    else { return false }
    return bytes == use.magic
  }

  private static let noIdentity = [UInt8](repeating: 0, count: identitySize - 32)

  private static func refused(_ path: String, _ reason: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_PERM, message: "\(path) is not used: \(reason)", hint: "Move it away.")
  }

  /// The place of the database's file, and the machine.
  private static func identity(ofDatabaseAt path: String) throws -> [UInt8] {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "could not read \(path)")
    }
    var bytes: [UInt8] = []
    // The number of the device changes with reboots.
    bytes.append(UInt64(status.st_ino))
    let machine: [UInt8]
    do { machine = try NewFile.read("/etc/machine-id", atMost: 4_096) ?? [] } catch {
      // Without it, the file would be taken for a copy's, which is another writer.
      if "\(error)".contains("Too many open files") { throw error }
      machine = []
    }
    bytes += machine.prefix(64)
    return bytes + [UInt8](repeating: 0, count: identitySize - 32 - bytes.count)
  }

  /// A writer's state; empty if there is none.
  func state() throws -> [UInt8] {
    let size = try file.size() - Self.stateOffset
    guard size > 0, size <= Self.largestState else { return [] }
    return try file.read(count: size, at: Self.stateOffset)
  }

  /// Replaces a writer's state. A crash can leave a mixture, which the state's seal reveals.
  func setState(_ bytes: [UInt8]) throws {
    try file.setSize(Self.stateOffset + bytes.count)
    try file.write(bytes, at: Self.stateOffset)
  }

  /// The two states of a follower, each of so many bytes; fewer if there is none.
  func durableStates(size: Int) throws -> [[UInt8]] {
    try (0..<2).map { try file.read(count: size, at: Self.durableOffset($0)) }
  }

  /// Replaces the older one of a follower's states, and waits until the new one is on the disk.
  ///
  /// - Parameter number: One more than that of the state before.
  func setDurableState(_ bytes: [UInt8], number: UInt64) throws {
    try file.write(bytes, at: Self.durableOffset(Int(number % 2)))
    try file.sync()
  }

  /// In blocks of their own, as a power cut can damage a block that is being written.
  private static func durableOffset(_ slot: Int) -> Int { stateOffset * (1 + slot) }

  /// Removes the file, which has no state worth keeping.
  func remove() {
    PendingFile.remove(path)
    unlock()
  }

  /// Lets another writer use the file.
  func unlock() { file.unlock() }
}
