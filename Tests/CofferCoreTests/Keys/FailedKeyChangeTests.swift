import CSQLCipher
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

// What a key change has written to the log before its commit failed.
extension ChangeKeyTests {
  private func fileKey(_ key: DatabaseKey, _ db: Database) throws -> FileKey {
    try FileKey(key, settings: db.openingSettings, salt: try #require(try FileKey.salt(of: path)))
  }

  /// Writes the change of the key to the log as a commit whose sync fails: connections that know
  /// the log don't see it, but whoever recovers the log does.
  private func leaveChange() throws {
    let copy = directory.path("copy.db")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let queue = try DatabaseQueue(path: copy, key: old)
    try queue.inDatabase { db in
      let key = try fileKey(new, db)
      let connection = try db.openConnection()
      try #require(key.spec.withUnsafeBytes { SQLite.rekey(connection, $0) } == SQLITE_OK)
    }
    let log = try Data(contentsOf: URL(fileURLWithPath: copy + "-wal"))
    try #require(log.count > 100_000)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "-wal"))
    try file.write(contentsOf: log)
    try file.close()
    try queue.close()
  }

  /// Whether the key opens the file as a crash would leave it.
  private func opensAfterCrash(_ key: DatabaseKey) throws -> Bool {
    let crashed = directory.path("crashed.db")
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: crashed + suffix)
      }
    }
    for suffix in ["", "-wal"] {
      // This process would lose its locks on a file that it closes.
      let copying = Command.run("/bin/cp", [path + suffix, crashed + suffix])
      try #require(copying?.status == 0)
    }
    do {
      let queue = try DatabaseQueue(path: crashed, key: key)
      defer { try? queue.close() }
      return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 200
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
      return false
    }
  }

  /// Leaves a change, and gives up the connection that made it.
  private func giveUp(
    _ queue: DatabaseQueue, meanwhile: () throws -> Void = {}
  ) throws -> (error: DatabaseError, hasNewKey: Bool?) {
    try queue.inDatabase { db in
      try #require(try db.checkpoint(.truncate).walFrameCount == 0)
      let (oldKey, newKey) = (try fileKey(old, db), try fileKey(new, db))
      try leaveChange()
      try meanwhile()
      #expect(try opensAfterCrash(new))
      #expect(try !opensAfterCrash(old))
      return db.giveUpConnection(
        old: oldKey, new: newKey, as: new,
        DatabaseError(resultCode: .SQLITE_IOERR_FSYNC, message: "made up"))
    }
  }

  @Test(arguments: [false, true])
  func `a truncated file keeps its key, and the error tells why`(wal: Bool) throws {
    do {
      let queue = try makeQueue(wal: wal)
      try queue.close()
    }
    let size = DatabaseFile.inspect(at: path).size
    #expect(truncate(path, off_t(size - 1000)) == 0)
    let queue = try DatabaseQueue(path: path, key: old)
    let error = #expect(throws: DatabaseError.self) { try queue.changeKey(to: new) }
    #expect(error?.cipherDiagnosis == .truncated)
    #expect("\(try #require(error))".contains("has its old key."))
    // A journal that was given up may stay, if nothing is to be restored from it.
    #expect(!DatabaseFile.inspect(at: path).hasJournal)
    #expect(!wal || access(path + "-journal", F_OK) != 0)
    try queue.close()
    #expect(truncate(path, off_t(size)) == 0)
    let reopened = try DatabaseQueue(path: path, key: old)
    #expect(throws: Never.self) {
      try reopened.read { _ = try Row.fetchAll($0, sql: "SELECT * FROM sqlite_master") }
    }
  }

  @Test func `a change that failed doesn't come back after a crash`() throws {
    let queue = try makeQueue(wal: true)
    // It keeps the log's index.
    let other = try DatabaseQueue(path: path, key: old)
    _ = try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
    let (error, hasNewKey) = try giveUp(queue)
    #expect("\(error)".contains("has its old key."))
    #expect(hasNewKey == false)
    #expect(try opensAfterCrash(old))
    #expect(try !opensAfterCrash(new))
    // Both go on.
    try other.write { try $0.execute(sql: "DELETE FROM t WHERE a > 100") }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 100)
    try queue.close()
    try other.close()
  }

  @Test func `while another connection writes, a failed change says to keep both keys`() throws {
    let queue = try makeQueue(wal: true) { $0.busyMode = .timeout(0.2) }
    let other = try DatabaseQueue(path: path, key: old)
    try other.inDatabase { db in
      let (error, hasNewKey) = try giveUp(queue) { try db.execute(sql: "BEGIN IMMEDIATE") }
      #expect("\(error)".contains("could have the new one after a crash"))
      #expect(hasNewKey == nil)
      try db.execute(sql: "COMMIT")
    }
    #expect(try opensAfterCrash(new))
    // What is written overwrites it.
    try queue.write { try $0.execute(sql: "INSERT INTO t (b) VALUES ('one more')") }
    #expect(try !opensAfterCrash(new))
    try queue.close()
    try other.close()
    #expect(
      try DatabaseQueue(path: path, key: old).read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM t")
      } == 201)
  }
}
