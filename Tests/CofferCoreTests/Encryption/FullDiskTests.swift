import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// A full disk is an error that says so, and no committed data is lost.
@Suite struct FullDiskTests {
  private static let journalModes = ["DELETE", "WAL"]

  private func configuration(_ journalMode: String) -> Configuration {
    var configuration = Configuration()
    configuration.key = .seeded()
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = \(journalMode)")
      try db.execute(sql: "PRAGMA cache_size = 20")
    }
    return configuration
  }

  private func insert(_ db: Database, _ number: Int, rows: Int) throws {
    for _ in 0..<rows {
      try db.execute(
        sql: "INSERT INTO t (number, data) VALUES (?, ?)",
        arguments: [number, Data(repeating: UInt8(number), count: 1000)])
    }
  }

  /// Fills the database, and frees room again.
  private func fill(
    _ path: String, _ configuration: Configuration, makeRoom: (Database) throws -> Void
  ) throws {
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (number INT, data BLOB)") }
    try queue.write { try insert($0, 1, rows: 50) }
    // One transaction that is too large, and then small ones until no more fits.
    let large = #expect(throws: DatabaseError.self) {
      try queue.write { try insert($0, 2, rows: 5000) }
    }
    #expect(large?.resultCode == .SQLITE_FULL)
    #expect("\(large as Any)".contains("database or disk is full"))
    var committed = 50
    var small: DatabaseError?
    for _ in 0..<5000 where small == nil {
      do {
        try queue.write { try insert($0, 3, rows: 5) }
        committed += 5
      } catch let error as DatabaseError { small = error }
    }
    #expect(small?.resultCode == .SQLITE_FULL)
    func count(_ db: Database) throws -> [Int?] {
      try [
        Int.fetchOne(db, sql: "SELECT count(*) FROM t"),
        Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE number = 2"),
      ]
    }
    #expect(try queue.read(count) == [committed, 0])
    #expect(try queue.inDatabase { $0.isInsideTransaction } == false)
    // The database works again as soon as there is room.
    try queue.inDatabase(makeRoom)
    try queue.write { try insert($0, 4, rows: 20) }
    #expect(try queue.read(count) == [committed + 20, 0])
    try queue.read { db throws in
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
    }
    try queue.close()
    let again = try DatabaseQueue(path: path, configuration: configuration)
    try again.read { db throws in
      #expect(try count(db) == [committed + 20, 0])
      #expect(try db.checkCipherIntegrity() == [])
    }
    try again.close()
  }

  @Test(arguments: journalModes)
  func `a write to a database that may not grow fails with SQLITE_FULL`(journalMode: String) throws
  {
    let folder = try TemporaryDirectory()
    var configuration = configuration(journalMode)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA max_page_count = 200") }
    try fill(folder.path("db"), configuration) { db in
      try db.execute(sql: "PRAGMA max_page_count = 100000")
    }
  }

  /// A file system of one megabyte, for root; nil where none can be mounted.
  private final class SmallDisk {
    let folder: TemporaryDirectory

    init?() throws {
      folder = try TemporaryDirectory()
      guard getuid() == 0,
        Self.run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path)
      else { return nil }
    }

    deinit { _ = Self.run("umount", "-l", folder.path) }

    private static func run(_ arguments: String...) -> Bool {
      Command.run("/usr/bin/env", arguments)?.status == 0
    }
  }

  static let canMount: Bool = (try? SmallDisk()) != nil

  @Test(.enabled(if: canMount, "needs root and the right to mount"), arguments: journalModes)
  func `a write to a full disk fails with SQLITE_FULL, and nothing committed is lost`(
    journalMode: String
  ) throws {
    let disk = try #require(try SmallDisk())
    // A file whose deletion frees room in the end.
    let ballast = URL(fileURLWithPath: disk.folder.path("ballast"))
    try Data(count: 200_000).write(to: ballast)
    try fill(disk.folder.path("db"), configuration(journalMode)) { _ in
      try FileManager.default.removeItem(at: ballast)
    }
  }
}
