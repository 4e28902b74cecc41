import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// Names with a NUL, of which C functions would see only the beginning.
struct NameTests {
  let directory: TemporaryDirectory
  let key = DatabaseKey.seeded()
  /// The path of a database.
  var path: String { directory.path("db") }
  /// A path that C reads as that of the database.
  var cutPath: String { path + "\0.other" }

  init() throws {
    directory = try TemporaryDirectory()
    try InPlaceErrorTests.make(path, key)
  }

  func expectNUL(
    _ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: (any Error).self, sourceLocation: sourceLocation) { try body() }
    #expect("\(error as Any)".contains("NUL"), "\(error as Any)", sourceLocation: sourceLocation)
  }

  @Test func `a file isn't attached under a part of a name`() throws {
    let queue = try DatabaseQueue()
    let other = directory.path("other")
    try queue.inDatabase { db in
      expectNUL { try db.attach(other, as: "x\0y", key: nil) }
      expectNUL { try db.attach(other + "\0y", as: "x", key: nil) }
      #expect(try Row.fetchAll(db, sql: "PRAGMA database_list").map { $0["name"] } == ["main"])
      try db.attach(other, as: "x", key: nil)
      expectNUL { try db.detach("x\0y") }
      expectNUL { _ = try db.checkpoint(on: "x\0y") }
      #expect(try Row.fetchAll(db, sql: "PRAGMA database_list").count == 2)
    }
    #expect(try directory.contents() == ["db", "other"])
  }

  @Test func `a part of a path isn't used`() throws {
    expectNUL { _ = try DatabaseQueue(path: cutPath, key: key) }
    expectNUL { _ = try DatabasePool(path: cutPath, key: key) }
    let target = directory.path("new")
    let cutTarget = target + "\0.other"
    let queue = try DatabaseQueue(path: path, key: key)
    expectNUL { try queue.backup(toPath: cutTarget) }
    expectNUL { try queue.backup(toPath: cutTarget, key: DatabaseKey.seeded()) }
    expectNUL { try queue.exportPlaintext(to: cutTarget) }
    if SQLiteFeatures.linked.hasVacuumInto { expectNUL { try queue.vacuum(into: cutTarget) } }
    try queue.close()
    expectNUL { try DatabaseFile.decrypt(at: path, key: key, to: cutTarget) }
    expectNUL { try DatabaseFile.decrypt(at: cutPath, key: key, to: target) }
    expectNUL { try DatabaseFile.encrypt(at: cutPath, to: target, key: key) }
    expectNUL { try DatabaseFile.convert(at: path, key: key, from: .default, newPath: cutTarget) }
    expectNUL { try DatabaseFile.convert(at: cutPath, key: key, from: .default) }
    expectNUL { _ = try DatabaseFile.salvage(at: cutPath, key: key, to: target) }
    expectNUL { _ = try DatabaseFile.salvage(at: path, key: key, to: cutTarget) }
    expectNUL { _ = try DatabaseQueue.inMemoryCopy(fromPath: cutPath) }
    expectNUL { _ = try KeySlots.create(forDatabaseAt: cutTarget, unlocker: .file(path)) }
    expectNUL { _ = try KeySlots.open(forDatabaseAt: cutPath) }
    expectNUL { _ = try DatabaseKey.file(cutPath) }
    #expect("\(DatabaseFile.inspect(at: cutPath))".contains("NUL"))
    #expect(try directory.contents() == ["db"])
    #expect(try InPlaceErrorTests.value(path, key) == "kept")
  }

  @Test func `a part of a path isn't used for whole files`() throws {
    let bytes = [UInt8]([1, 2, 3])
    expectNUL { _ = try unsafe bytes.withUnsafeBytes { try NewFile.create(cutPath, $0) } }
    expectNUL { try NewFile.delete(cutPath) }
    expectNUL { try NewFile.makeFolder(directory.path("folder\0.other")) }
    expectNUL { _ = try NewFile.entries(of: directory.path + "\0.other") }
    #expect(throws: (any Error).self) { try NewFile.read(cutPath, atMost: 1 << 20) }
    #expect(try directory.contents() == ["db"])
    try Data().write(to: URL(fileURLWithPath: path + "-keys"))
    #expect(KeySlots.exist(forDatabaseAt: path))
    #expect(!KeySlots.exist(forDatabaseAt: cutPath))
    #expect(!KeySlots.exist(forDatabaseAt: path + "-keys\0"))
  }

  @Test func `an anchor isn't at a part of a path`() throws {
    let anchor = FileAnchor(path: directory.path("anchor\0.other"))
    #expect(throws: (any Error).self) { try anchor.load(forDatabaseAt: path) }
    #expect(throws: (any Error).self) {
      try anchor.store([1], counter: 1, replacing: nil, forDatabaseAt: path)
    }
    #expect(try directory.contents() == ["db"])
  }

  @Test func `a table isn't found by a part of its name`() throws {
    let queue = try DatabaseQueue(path: path, key: key)
    try queue.read { db in
      let connection = try db.openConnection()
      #expect(try SQLite.hasTable(connection, "t", schema: "main"))
      #expect(try !SQLite.hasTable(connection, "t\0x", schema: "main"))
      #expect(try !SQLite.hasTable(connection, "t", schema: "main\0x"))
      #expect(SQLite.isReadOnly(connection, schema: "main\0x") == nil)
    }
  }
}
