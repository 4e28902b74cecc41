import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// A database file that was deleted or replaced under an open connection: nothing is written any more.
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

  @Test(.disabled(if: geteuid() == 0, "root may search every folder"))
  func `a folder that can't be searched any more is no other file`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    try database.use { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    chmod(database.directory.path, 0)
    defer { chmod(database.directory.path, 0o700) }
    try database.use { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
  }
}
