import CofferCore
import CofferTestSupport
import Foundation
import Testing

struct FileModeTests {
  private static func key() throws -> DatabaseKey { try .raw(EncryptedQueue.rawKey) }

  private func mode(_ path: String) throws -> Int {
    try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  private func configuration(_ mode: UInt32?) throws -> Configuration {
    var configuration = Configuration()
    configuration.key = try Self.key()
    configuration.fileMode = mode
    return configuration
  }

  @Test func `only the owner can read a new file, its log and its journal`() throws {
    let folder = try TemporaryDirectory()
    let pool = try DatabasePool(path: folder.path("pool"), key: Self.key())
    try pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    for name in ["pool", "pool-wal", "pool-shm"] { #expect(try mode(folder.path(name)) == 0o600) }
    var journaled = try configuration(0o600)
    journaled.journalMode = .delete
    let queue = try DatabaseQueue(path: folder.path("queue"), configuration: journaled)
    try queue.write { db throws in
      try db.execute(sql: "CREATE TABLE t (a)")
      #expect(try mode(folder.path("queue-journal")) == 0o600)
    }
    _ = try DatabaseQueue(path: folder.path("plain"))
    #expect(try mode(folder.path("plain")) == 0o600)
  }

  @Test func `a configured mode doesn't depend on the umask`() throws {
    let folder = try TemporaryDirectory()
    for mode in [0o660, 0o666, 0o640] as [UInt32] {
      let path = folder.path("\(mode)")
      var configuration = try configuration(mode)
      configuration.journalMode = .delete
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.write { db throws in
        try db.execute(sql: "CREATE TABLE t (a)")
        #expect(try self.mode(path + "-journal") == Int(mode))
      }
      #expect(try self.mode(path) == Int(mode))
    }
  }

  @Test func `without a mode, SQLite's permissions are left`() throws {
    let folder = try TemporaryDirectory()
    let plain = folder.path("other")
    #expect(FileManager.default.createFile(atPath: plain, contents: nil))
    _ = try DatabaseQueue(path: folder.path("db"), configuration: configuration(nil))
    #expect(try mode(folder.path("db")) & 0o477 == mode(plain) & 0o477 & 0o644)
  }

  @Test func `the permissions of an existing file don't change`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    try DatabaseQueue(path: path, configuration: configuration(0o640)).close()
    for mode in [nil, 0o600, 0o666] as [UInt32?] {
      try DatabaseQueue(path: path, configuration: configuration(mode)).close()
      #expect(try self.mode(path) == 0o640)
    }
    let empty = folder.path("empty")
    #expect(FileManager.default.createFile(atPath: empty, contents: nil))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: empty)
    try DatabaseQueue(path: empty, key: Self.key()).close()
    #expect(try mode(empty) == 0o644)
  }

  @Test(arguments: ["target", "/absolute"])
  func `a link to a file that doesn't exist leads to a new one`(target: String) throws {
    let folder = try TemporaryDirectory()
    let destination = target.hasPrefix("/") ? folder.path("absolute") : target
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: destination)
    let queue = try DatabaseQueue(path: folder.path("link"), key: Self.key())
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    #expect(try mode(folder.path(target.filter { $0 != "/" })) == 0o600)
  }

  @Test func `no file is created for a read-only connection or a database in memory`() throws {
    let folder = try TemporaryDirectory()
    var configuration = try configuration(0o600)
    configuration.readonly = true
    #expect(throws: DatabaseError.self) {
      try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    }
    #expect(try folder.contents() == [])
    _ = try DatabaseQueue(path: ":memory:")
    #expect(!FileManager.default.fileExists(atPath: ":memory:"))
  }
}
