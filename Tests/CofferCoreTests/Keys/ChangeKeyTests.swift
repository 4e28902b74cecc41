import CSQLCipher
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

struct ChangeKeyTests {
  let directory: TemporaryDirectory
  let path: String
  let old = DatabaseKey.seeded()
  let new = DatabaseKey.seeded()

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("a.db")
  }

  func makeQueue(
    wal: Bool = false, rows: Int = 200, key: DatabaseKey? = nil,
    _ change: (inout Configuration) -> Void = { _ in }
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = wal ? .wal : .delete
    change(&configuration)
    let queue = try DatabaseQueue(path: path, key: key ?? old, configuration: configuration)
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
      for number in 0..<rows {
        try db.execute(
          sql: "INSERT INTO t (b) VALUES (?)",
          arguments: ["MARKER-\(number)" + String(repeating: "x", count: 500)])
      }
    }
    return queue
  }

  func count(_ key: DatabaseKey) throws -> Int? {
    let queue = try DatabaseQueue(path: path, key: key)
    return try queue.read { db in
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
      return try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
    }
  }

  @Test(arguments: [false, true])
  func `the new key opens the file, and the old one doesn't`(wal: Bool) throws {
    let queue = try makeQueue(wal: wal)
    try queue.changeKey(to: new)
    #expect(try count(new) == 200)
    #expect(throws: DatabaseError.self) { try count(old) }
    try queue.close()
    #expect(try count(new) == 200)
    #expect(throws: DatabaseError.self) { try count(old) }
  }

  @Test(arguments: [false, true])
  func `the connection goes on, and what it writes has the new key`(wal: Bool) throws {
    let queue = try makeQueue(wal: wal)
    try queue.inDatabase { try $0.execute(sql: "CREATE TEMP TABLE mine (x)") }
    try queue.changeKey(to: new)
    try queue.write { db in
      try db.execute(sql: "INSERT INTO t (b) SELECT b FROM t")
      try db.execute(sql: "INSERT INTO mine VALUES (1)")
    }
    try queue.close()
    #expect(try count(new) == 400)
    #expect(throws: DatabaseError.self) { try count(old) }
  }

  @Test func `the configuration shows the new key, which opens further connections`() throws {
    let queue = try makeQueue()
    try queue.changeKey(to: new)
    let configuration = queue.configuration
    #expect(configuration.key?.isSameKey(as: new) == true)
    let other = try DatabaseQueue(path: path, configuration: configuration)
    #expect(try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 200)
  }

  @Test func `a key may be changed again and again, in each of its forms`() throws {
    let queue = try makeQueue(key: .passphrase("one"))
    for key in [.passphrase("two"), old, new, .passphrase("x'00'")] {
      try queue.changeKey(to: key)
      #expect(try count(key) == 200)
    }
  }

  @Test func `a preparation's old passphrase doesn't reach connections after the change`() throws {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.usePassphrase("first") }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    try queue.barrierWriteWithoutTransaction { try $0.changePassphrase("second") }
    let other = try DatabaseQueue(path: path, configuration: queue.configuration)
    #expect(try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 0)
    #expect(try count(.passphrase("second")) == 0)
    #expect(throws: DatabaseError.self) { try count(.passphrase("first")) }
  }

  @Test func `one change derives one key`() throws {
    DerivationCount.startCountingBySalt()
    let queue = try makeQueue(key: .passphrase("one"))
    let salt = try #require(try FileKey.salt(of: path))
    let before = DerivationCount.count(salt: salt)
    try queue.changeKey(to: .passphrase("two"))
    #expect(DerivationCount.count(salt: salt) == before + 1)
    #expect(try FileKey.salt(of: path) == salt)
  }

  @Test func `the same key changes nothing, and is no error`() throws {
    let queue = try makeQueue()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    try queue.changeKey(to: old)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  // MARK: Refusals

  @Test func `a reader that is open keeps the key as it is`() throws {
    for wal in [false, true] {
      try? FileManager.default.removeItem(atPath: path)
      let queue = try makeQueue(wal: wal) { $0.busyMode = .immediateError }
      let other = try DatabaseQueue(path: path, key: old)
      try other.inDatabase { db in
        try db.execute(sql: "BEGIN; SELECT * FROM t")
        let error = #expect(throws: DatabaseError.self) { try queue.changeKey(to: new) }
        #expect(error?.resultCode == .SQLITE_BUSY)
        try db.execute(sql: "COMMIT")
      }
      try queue.write { try $0.execute(sql: "INSERT INTO t (b) SELECT b FROM t") }
      try queue.close()
      try other.close()
      #expect(try count(old) == 400)
      #expect(throws: DatabaseError.self) { try count(new) }
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test func `a writer that is open keeps the key as it is`() throws {
    let queue = try makeQueue { $0.busyMode = .immediateError }
    let other = try DatabaseQueue(path: path, key: old)
    try other.inDatabase { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      #expect(throws: DatabaseError.self) { try queue.changeKey(to: new) }
      try db.execute(sql: "COMMIT")
    }
    try queue.write { try $0.execute(sql: "INSERT INTO t (b) VALUES ('more')") }
    #expect(try count(old) == 201)
  }

  @Test func `a read-only connection refuses`() throws {
    try makeQueue().close()
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue(path: path, key: old, configuration: configuration)
    let error = #expect(throws: DatabaseError.self) { try queue.changeKey(to: new) }
    #expect(error?.resultCode == .SQLITE_READONLY)
    #expect(try count(old) == 200)
  }

  @Test func `a transaction and a cursor refuse`() throws {
    let queue = try makeQueue()
    #expect(throws: DatabaseError.self) {
      try queue.write { try $0.changePassphrase("x") }
    }
    try queue.inDatabase { db in
      let rows = try Row.fetchCursor(db, sql: "SELECT * FROM t")
      _ = try rows.next()
      #expect(throws: DatabaseError.self) { try db.changePassphrase("x") }
    }
    #expect(try count(old) == 200)
  }

  @Test func `a plaintext database points to encrypt`() throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    let error = #expect(throws: DatabaseError.self) { try queue.changeKey(to: new) }
    #expect("\(error!)".contains("DatabaseFile.encrypt"))
    try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 1)
  }

  @Test func `an empty passphrase and another salt are refused`() throws {
    let queue = try makeQueue()
    #expect(throws: DatabaseError.self) { try queue.changeKey(to: .passphrase("")) }
    let salted = try DatabaseKey.raw([UInt8](repeating: 1, count: 32), salt: Array(0..<16))
    #expect(throws: DatabaseError.self) { try queue.changeKey(to: salted) }
    try queue.write { try $0.execute(sql: "INSERT INTO t (b) VALUES ('more')") }
    #expect(try count(old) == 201)
  }

  @Test func `a database in memory refuses`() throws {
    var configuration = Configuration()
    configuration.key = old
    let queue = try DatabaseQueue(configuration: configuration)
    #expect(throws: DatabaseError.self) { try queue.changeKey(to: new) }
  }

  /// The reason for the workaround, which can be removed once SQLCipher is mended.
  @Test func `SQLCipher's own rekey says OK where it did nothing`() throws {
    let queue = try makeQueue { $0.busyMode = .immediateError }
    let other = try DatabaseQueue(path: path, key: old)
    try other.inDatabase { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      try queue.inDatabase { mine in
        let spec = try new.keySpec()
        let code = spec.withUnsafeBytes {
          sqlite3_rekey(mine.sqliteConnection, $0.baseAddress, CInt($0.count))
        }
        // From 4.19 on it says that the file is busy.
        #expect([SQLITE_OK, SQLITE_BUSY].contains(code))
        // The connection must not write any more.
        mine.closeConnection()
      }
      try db.execute(sql: "COMMIT")
    }
    #expect(try count(old) == 200)
  }

  /// A rekey that did nothing leaves the connection with the new key for its next writes.
  @Test(arguments: [false, true])
  func `a connection whose change failed is opened anew, and mixes no keys`(wal: Bool) throws {
    let queue = try makeQueue(wal: wal) {
      $0.busyMode = .immediateError
      $0.prepareDatabase { try $0.execute(sql: "CREATE TEMP TABLE prepared (a)") }
    }
    let other = try DatabaseQueue(path: path, key: old)
    try queue.inDatabase { mine in
      let settings = mine.openingSettings
      let salt = try #require(try FileKey.salt(of: path))
      let oldKey = try FileKey(old, settings: settings, salt: salt)
      let newKey = try FileKey(new, settings: settings, salt: salt)
      try other.inDatabase { db in
        try db.execute(sql: "BEGIN IMMEDIATE")
        let connection = try mine.openConnection()
        let code = newKey.spec.withUnsafeBytes { SQLite.rekey(connection, $0) }
        #expect([SQLITE_OK, SQLITE_BUSY].contains(code))
        try db.execute(sql: "COMMIT")
      }
      let (error, hasNewKey) = mine.giveUpConnection(
        old: oldKey, new: newKey, as: new,
        DatabaseError(resultCode: .SQLITE_ERROR, message: "made up"))
      #expect("\(error)".contains("has its old key"))
      #expect(hasNewKey == false)
      try mine.execute(sql: "INSERT INTO t (b) SELECT b FROM t; INSERT INTO prepared VALUES (1)")
    }
    try queue.close()
    try other.close()
    #expect(try count(old) == 400)
  }

  /// The change itself does: CofferFaults cuts the power after it.
  @Test func `after a change, a pool's commits don't wait for the disk, as before`() throws {
    let pool = try DatabasePool(path: path, key: old)
    func synchronous() throws -> Int? {
      try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    }
    let before = try synchronous()
    #expect(before == 1)
    try pool.changeKey(to: new)
    #expect(try synchronous() == before)
  }

  // MARK: Killed

  @Test(arguments: [false, true])
  func `killed at any moment, one key opens the file, and all is there`(wal: Bool) throws {
    var keys = [Hex.key(1), Hex.key(2)]
    let queue = try makeQueue(wal: wal, rows: 6000, key: Hex.databaseKey(keys[0]))
    try queue.close()
    let attempts = trialCount(6)
    for attempt in 0..<attempts {
      let child = try TestProcess(["change-key", path, keys[0], keys[1]])
      try #require(child.readLine() == "ready")
      usleep(UInt32(attempt * 84_000 / attempts))
      let isDone = child.kill().contains("done")
      let opens = keys.map { key in
        (try? count(Hex.databaseKey(key))) == 6000
      }
      try #require(opens.count { $0 } == 1)
      if isDone { #expect(opens == [false, true]) }
      if opens[1] { keys.reverse() }
    }
  }
}

/// Raw keys for other programs.
enum Hex {
  static func key(_ number: UInt8) -> String {
    (0..<32).map { index in
      let byte = number &* 37 &+ UInt8(index)
      return String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }

  static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }

  static func databaseKey(_ hex: String) throws -> DatabaseKey { try .raw(bytes(hex)) }
}
