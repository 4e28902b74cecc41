import Glibc

/// What a writer of an archive keeps beside the database, in `<database>-archive`.
///
/// It begins with the writer's random number, and with what tells this file of the database from a copy.
/// Behind it is the writer's own state, which may be lost. The file is locked while a writer uses it.
package final class ArchiveStateFile {
  /// The writer's random number, of 16 bytes.
  package let writer: [UInt8]
  package let path: String
  private let file: RawFile

  private static let magic = Array("Coffer archiver1".utf8)
  private static let identitySize = 128
  private static let stateOffset = 4_096
  private static let largestState = 1 << 30

  /// Opens the file, or creates it with a new number.
  ///
  /// - Parameter makeWriter: Makes a random number.
  /// - Returns: Nil if another writer has it.
  /// - Throws: ``DatabaseError`` if it can't be used, or is another program's.
  package init?(forDatabaseAt database: String, makeWriter: () -> [UInt8]) throws {
    let database = PendingFile.resolved(database)
    path = database + "-archive"
    do {
      let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
      file = try RawFile(path: path, flags: flags)
      if let reason = file.objection(besideDatabaseAt: database) {
        throw Self.refused(path, reason)
      }
      guard try file.lock(exclusively: true) else { return nil }
      let identity = try Self.identity(ofDatabaseAt: database)
      let stored = try file.read(count: Self.identitySize, at: 0)
      if !stored.isEmpty, !stored.starts(with: Self.magic) {
        throw Self.refused(path, "Coffer has not written it")
      }
      if stored.count == Self.identitySize, stored[32...].elementsEqual(identity) {
        writer = Array(stored[16..<32])
      } else {
        // A copy of the database is another writer.
        writer = makeWriter()
        try file.setSize(0)
        try file.write(Self.magic + writer + identity, at: 0)
        try file.sync()
        try PendingFile.syncFolder(of: path)
      }
    } catch let error as RawFileError {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: error.description)
    }
  }

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
    bytes.append(UInt64(status.st_dev))
    bytes.append(UInt64(status.st_ino))
    let machine = (try? NewFile.read("/etc/machine-id", atMost: 4_096)).flatMap { $0 } ?? []
    bytes += machine.prefix(64)
    return bytes + [UInt8](repeating: 0, count: identitySize - 32 - bytes.count)
  }

  /// The writer's own state; empty if there is none.
  package func state() throws -> [UInt8] {
    let size = file.size - Self.stateOffset
    guard size > 0, size <= Self.largestState else { return [] }
    return try file.read(count: size, at: Self.stateOffset)
  }

  /// Replaces the writer's own state. A crash can leave a mixture, which a seal in the state tells.
  package func setState(_ bytes: [UInt8]) throws {
    try file.setSize(Self.stateOffset + bytes.count)
    try file.write(bytes, at: Self.stateOffset)
  }

  /// Lets another writer use the file.
  package func unlock() { file.unlock() }
}
