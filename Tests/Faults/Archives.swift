import Coffer
import Foundation

#if DEBUG
  @testable import CofferArchive
  @testable import CofferCore
#else
  import CofferArchive
  import CofferCore
#endif

/// An archive in a database's own folder, the only one that is recorded: as `FolderDestination`,
/// but without folders in it.
private struct FlatFolder: ArchiveDestination {
  let folder: Folder

  private func file(_ name: String) -> String {
    folder.file("archive=" + name.replacingOccurrences(of: "/", with: "="))
  }

  func putIfAbsent(_ name: String, _ bytes: Data) throws -> Bool {
    try bytes.withUnsafeBytes { try NewFile.create(file(name), $0) }
  }

  func get(_ name: String) throws -> Data? {
    try NewFile.read(file(name), atMost: 1 << 24).map { Data($0) }
  }

  func list(_ prefix: String) throws -> [String] {
    try NewFile.entries(of: folder.path).map(\.name).filter { $0.hasPrefix("archive=") }
      .filter { !$0.hasSuffix(".coffer-partial") }
      .map { $0.dropFirst("archive=".count).replacingOccurrences(of: "=", with: "/") }
      .filter { $0.hasPrefix(prefix) }.sorted()
  }

  func delete(_ name: String) throws { try NewFile.delete(file(name)) }
}

extension Scenario {
  private static func archive(in folder: Folder) -> Archive {
    // Only what a scenario asks for is archived, at that moment.
    var configuration = ArchiveConfiguration()
    configuration.interval = .seconds(3_600)
    return Archive(FlatFolder(folder: folder), configuration: configuration)
  }

  private static func pool(in folder: Folder) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.key = key(1)
    configuration.checkpointPolicy = CheckpointPolicy(
      automaticPageCount: 20, maximumPageCount: 200)
    return try DatabasePool(path: folder.database, configuration: configuration)
  }

  private static func create(_ folder: Folder) throws {
    let pool = try pool(in: folder)
    try pool.write { try Content.create($0) }
    try pool.close()
  }

  /// Archives the steps, a session for each half of them.
  private static func archiveSteps(_ numbers: Range<Int>, _ folder: Folder) throws {
    for half in [numbers.prefix(numbers.count / 2), numbers.suffix((numbers.count + 1) / 2)] {
      let pool = try pool(in: folder)
      let session = try archive(in: folder).start(pool)
      do {
        for number in half {
          try step(number) {
            try pool.write { try Content.add(number, to: $0) }
            try session.archiveNow()
          }
        }
      } catch {
        // Before the check uses the same files.
        try? session.stop()
        throw error
      }
      try session.stop()
      try pool.close()
    }
  }

  /// Notes the number of the database's file, which is another one in an image of the disk.
  private static func keepIdentity(of folder: Folder) throws {
    let path = folder.database + "-archive"
    guard var bytes = try? Files.content(of: path), bytes.count >= 40,
      bytes[32..<40].contains(where: { $0 != 0 })
    else { return }
    let number = try Files.inode(of: folder.database)
    for byte in 0..<8 { bytes[32 + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// Restores the last commit, and returns the step that it is at; nil without an archive.
  private static func restoredStep(_ folder: Folder) throws -> Int? {
    let target = folder.file("restored.db")
    defer { for suffix in ["", "-wal", "-shm"] { unlink(target + suffix) } }
    do {
      try archive(in: folder).restore(to: target, key: key(1))
    } catch ArchiveError.noArchive {
      return nil
    } catch ArchiveError.noCommit {
      // The first copy of all pages isn't whole.
      return nil
    }
    return try checkedStep(of: target, key: key(1)) ?? -2
  }

  /// What was told as archived can be restored, and a next session goes on.
  private static let archiving = Scenario(
    name: "an archive of commits",
    prepare: { try create($0) },
    run: { try archiveSteps(1..<9, $0) },
    check: { folder, marks in
      let restored = try restoredStep(folder)
      // The commits that wait are the database's own.
      let least = marks.done > 0 ? marks.done : -1
      try require(
        (least...marks.begun).contains(restored ?? -1),
        "the archive is at step \(restored.map(String.init) ?? "none")")
      let pool = try pool(in: folder)
      let found = try pool.checkedStep()
      try require((0...marks.begun).contains(found), "the database is at step \(found)")
      // A power cut can take commits from the database that the archive has.
      try keepIdentity(of: folder)
      let session = try archive(in: folder).start(pool)
      try session.archiveNow()
      try pool.write { try Content.add(found + 1, to: $0) }
      try session.archiveNow()
      try session.stop()
      try pool.close()
      let next = try restoredStep(folder)
      try require(next == found + 1, "the archive goes on with \(next.map(String.init) ?? "none")")
      let damaged = try archive(in: folder).verify(key: key(1))
      try require(damaged.isEmpty, "the archive is damaged: \(damaged)")
    })

  /// A restored file is there as a whole, or not at all.
  private static let restoring = Scenario(
    name: "a restore from an archive",
    prepare: { folder in
      try create(folder)
      try archiveSteps(1..<7, folder)
    },
    run: { folder in
      try step(1) {
        try archive(in: folder).restore(to: folder.file("restored.db"), key: key(1))
      }
    },
    check: { folder, marks in
      let target = folder.file("restored.db")
      if marks.done == 0, !FileManager.default.fileExists(atPath: target) { return }
      let found = try checkedStep(of: target, key: key(1))
      try require(found == 6, "the restored database is at step \(found ?? -2)")
    })

  /// A follower's file is as of one of the archive's commits, and reaches the last one.
  private static let following = Scenario(
    name: "a follower of an archive",
    prepare: { folder in
      try create(folder)
      try archiveSteps(1..<4, folder)
    },
    run: { folder in
      let follower = try ArchiveFollower(
        archive(in: folder), path: folder.file("copy.db"), key: key(1))
      do {
        try archiveSteps(4..<8, folder)
        try follower.follow()
      } catch {
        try? follower.close()
        throw error
      }
      try follower.close()
    },
    check: { folder, marks in
      guard try restoredStep(folder) != nil else { return }
      try keepFile(ofFollowerIn: folder)
      let follower = try ArchiveFollower(
        archive(in: folder), path: folder.file("copy.db"), key: key(1))
      try follower.follow()
      let found = try follower.pool.checkedStep()
      try follower.close()
      let restored = try restoredStep(folder)
      try require(found == restored, "the follower is at step \(found)")
    })

  /// A disk keeps a file's inode and times over a power cut, while the simulated one makes files
  /// anew.
  private static func keepFile(ofFollowerIn folder: Folder) throws {
    #if DEBUG
      let path = folder.file("copy.db")
      guard FollowedDatabase.exists(at: path),
        let file = try ArchiveStateFile(
          .follower, forDatabaseAt: path, makeNumber: { [UInt8](repeating: 0, count: 16) })
      else { return }
      defer { file.unlock() }
      if file.isNew { return file.remove() }
      let reader = try ArchiveReader(
        FlatFolder(folder: folder), key: key(1), settings: .default, path: path)
      guard var note = try FollowerNote.last(in: file, reader) else { return }
      let present = try FollowedFileMark(ofFileAt: path)
      (note.mark.inode, note.mark.birth) = (present.inode, present.birth)
      note.mark.change = present.change
      try note.save(in: file, reader)
    #endif
  }

  static let archives = [archiving, restoring, following]
}
