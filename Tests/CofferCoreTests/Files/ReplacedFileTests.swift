import CofferExpectations
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import CofferCore

/// A database file that was deleted or replaced under an open connection: nothing is written any
/// more.
@Suite struct ReplacedFileTests {
  enum Way: String, CaseIterable { case deleted, replaced, moved }

  private func replace(_ path: String, _ way: Way) throws {
    switch way {
    case .deleted: try FileManager.default.removeItem(atPath: path)
    case .moved: try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    case .replaced:
      try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
      let other = try DatabaseQueue(path: path, key: .raw(EncryptedQueue.rawKey))
      try other.write { try $0.execute(sql: "CREATE TABLE other (a)") }
      try other.close()
    }
  }

  private func open(_ path: String) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: path, key: .raw(EncryptedQueue.rawKey))
    try queue.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (a)") }
    return queue
  }

  private func expectMoved(_ body: () throws -> Void) {
    let error = #expect(throws: DatabaseError.self, performing: body)
    #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
    #expect(error?.hint?.contains("deleted or replaced") == true, "\(error?.description ?? "")")
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, Way.allCases)
  func `the next write transaction fails, and says why`(
    kind: EncryptedDatabase.Kind, way: Way
  ) throws {
    let database = try EncryptedDatabase(kind, "CREATE TABLE t (a)")
    let path = database.directory.path("db")
    try replace(path, way)
    expectMoved { try database.execute("INSERT INTO t VALUES (1)") }
    expectMoved {
      try database.writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    }
    expectMoved {
      try database.writer.writeWithoutTransaction {
        try $0.execute(sql: "INSERT INTO t VALUES (1)")
      }
    }
    guard way == .replaced else { return }
    let other = try DatabaseQueue(path: path, key: .raw(EncryptedQueue.rawKey))
    #expect(try other.read { try $0.tableExists("other") })
  }

  @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF"])
  func `a rollback journal is no exception`(mode: String) throws {
    let database = try EncryptedQueue("PRAGMA journal_mode = \(mode); CREATE TABLE t (a)")
    try database.use { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    try replace(database.directory.path("db"), .replaced)
    expectMoved { try database.use { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
  }

  @Test func `an attached file counts, too`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    let path = database.directory.path("other")
    try database.use { db in
      try db.attach(path, as: "other", key: .raw(EncryptedQueue.rawKey))
      try db.execute(sql: "CREATE TABLE other.o (a)")
      try replace(path, .deleted)
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      expectMoved { try db.execute(sql: "INSERT INTO o VALUES (1)") }
    }
  }

  @Test func `a file that comes back by another name of it is the same`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    let path = database.directory.path("db")
    try FileManager.default.linkItem(atPath: path, toPath: path + ".link")
    try FileManager.default.removeItem(atPath: path)
    expectMoved { try database.use { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
    try FileManager.default.moveItem(atPath: path + ".link", toPath: path)
    try database.use { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
  }

  @Test func `a file whose folder was moved is gone, until it is back`() throws {
    let directory = try TemporaryDirectory()
    let folder = directory.path("folder")
    try FileManager.default.createDirectory(
      atPath: folder + "/inner", withIntermediateDirectories: true)
    let queue = try open(folder + "/inner/db")
    for _ in 0..<3 {
      for _ in 0..<3 { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
      try FileManager.default.moveItem(atPath: folder, toPath: folder + ".old")
      expectMoved { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
      expectMoved { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
      try FileManager.default.moveItem(atPath: folder + ".old", toPath: folder)
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 9)
    try queue.close()
  }

  @Test func `a link to another folder makes it another file`() throws {
    let directory = try TemporaryDirectory()
    let link = directory.path("link")
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(
        atPath: directory.path(name), withIntermediateDirectories: false)
    }
    symlink(directory.path("a"), link)
    let queue = try open(link + "/db")
    for _ in 0..<3 { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
    unlink(link)
    symlink(directory.path("b"), link)
    // SQLite opens files by their names behind all links, from 3.39 on.
    if SQLiteFeatures.linked.version < 3_039_000 {
      expectMoved { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
    } else {
      try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    try queue.close()
  }

  @Test func `files are replaced while others are written, opened and closed`() throws {
    var random = SeededGenerator()
    let directory = try TemporaryDirectory()
    let paths = (0..<4).map { directory.path("db\($0)") }
    var queues = try paths.map { try open($0) }
    for round in 0..<trialCount(100) {
      let replaced = Int.random(in: 0..<4, using: &random)
      let path = paths[replaced]
      switch Int.random(in: 0..<3, using: &random) {
      case 0: unlink(path)
      case 1: rename(path, path + ".\(round)")
      default:
        _ = FileManager.default.createFile(atPath: path + ".new", contents: Data())
        rename(path + ".new", path)
      }
      for (index, queue) in queues.enumerated() where index != replaced {
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
      }
      expectMoved { try queues[replaced].write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
      try? queues[replaced].close()
      for name in [path, path + "-wal", path + "-shm"] { unlink(name) }
      queues[replaced] = try open(path)
    }
  }

  @Test func `threads that replace files at the same time each notice their own`() throws {
    let directory = try TemporaryDirectory()
    let missed = Mutex<[String]>([])
    let rounds = trialCount(200)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      let path = directory.path("db\(thread)")
      do {
        var queue = try open(path)
        for round in 0..<rounds {
          try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
          unlink(path)
          let isNoticed =
            (try? queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }) == nil
          if !isNoticed { missed.withLock { $0.append("thread \(thread), round \(round)") } }
          try? queue.close()
          for name in [path + "-wal", path + "-shm"] { unlink(name) }
          queue = try open(path)
        }
      } catch {
        missed.withLock { $0.append("\(error)") }
      }
    }
    #expect(missed.withLock { $0 } == [])
  }

  /// How many watches the process has on a file.
  private func watchCount(_ inode: UInt64) throws -> Int {
    let folder = "/proc/self/fdinfo"
    let name = "ino:" + String(inode, radix: 16) + " "
    return try FileManager.default.contentsOfDirectory(atPath: folder).map { descriptor in
      // One that was closed meanwhile is none of ours.
      let text = (try? String(contentsOfFile: "\(folder)/\(descriptor)", encoding: .utf8)) ?? ""
      return text.split(separator: "\n").count { $0.hasPrefix("inotify") && $0.contains(name) }
    }.reduce(0, +)
  }

  @Test func `a closed file is watched no more`() throws {
    let directory = try TemporaryDirectory()
    var status = stat()
    let queues = try (0..<3).map { _ in try open(directory.path("db")) }
    stat(directory.path("db"), &status)
    let count = try watchCount(UInt64(status.st_ino))
    #expect(count <= 1)
    for queue in queues {
      #expect(try watchCount(UInt64(status.st_ino)) == count)
      try queue.close()
    }
    #expect(try watchCount(UInt64(status.st_ino)) == 0)
  }

  @Test(.disabled(if: geteuid() == 0, "root may search every folder"))
  func `a folder that can't be searched any more is no other file`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    try database.use { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    chmod(database.directory.path, 0)
    defer { chmod(database.directory.path, 0o700) }
    try database.use { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
  }
}
