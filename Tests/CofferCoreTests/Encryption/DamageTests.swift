import CofferExpectations
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import CofferCore
@testable import CofferVault

/// Each changed byte is found at the opening or when it is read, or makes no difference.
@Suite struct DamageTests {
  private static let key = DatabaseKey(
    form: .raw, bytes: SecureBytes(copying: [UInt8](0x40..<0x60)))

  private struct Content: Equatable {
    var rows: [Row] = []
    var names: [String] = []
    var userVersion: Int?
  }

  private func content(_ path: String) throws -> Content {
    let queue = try DatabaseQueue(path: path, key: Self.key)
    defer { try? queue.close() }
    return try queue.read { db in
      Content(
        rows: try Row.fetchAll(db, sql: "SELECT * FROM t ORDER BY id"),
        names: try String.fetchAll(db, sql: "SELECT name FROM t INDEXED BY t_name ORDER BY name"),
        userVersion: try Int.fetchOne(db, sql: "PRAGMA user_version"))
    }
  }

  @Test func `no flipped bit ever changes data silently`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    try BadFileTests.makeDatabase(path, key: Self.key)
    let expected = try content(path)
    #expect(expected.rows.count == 40)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let settings = CipherSettings.default
    let pageSize = settings.pageSize
    let reserve = pageSize - settings.reservedSize
    var positions: Set<Int> = Set(0..<100)
    for page in 0..<(whole.count / pageSize) {
      let inPage = [
        0, 8, 100, pageSize / 3, pageSize / 2, reserve - 1,  // ciphertext
        reserve, reserve + 15,  // IV
        reserve + 16, reserve + 16 + settings.hmacSize - 1,  // HMAC
        pageSize - 1,  // padding, or the HMAC's last byte
      ]
      for offset in inPage { positions.insert(page * pageSize + offset) }
    }
    #expect(positions.count > 250)
    var random = SeededGenerator()
    while positions.count < min(trialCount(0), whole.count) {
      positions.insert(Int.random(in: whole.indices, using: &random))
    }
    var diagnosed = 0
    var failed = 0
    var unchanged: [Int] = []
    for position in positions.sorted() {
      var data = whole
      data[position] ^= 1 << (position % 8)
      try data.write(to: URL(fileURLWithPath: path))
      do {
        let found = try content(path)
        #expect(found == expected, "byte \(position) changes data")
        unchanged.append(position)
      } catch let error as DatabaseError {
        #expect(
          error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB,
          "byte \(position): \(error)")
        if error.cipherDiagnosis != nil { diagnosed += 1 } else { failed += 1 }
      }
      // Reading repairs nothing and breaks nothing.
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == data)
    }
    // What changes nothing is SQLCipher 3's padding alone, which is not authenticated.
    let padding = pageSize - settings.reservedSize + 16 + settings.hmacSize
    #expect(unchanged.allSatisfy { $0 % pageSize >= padding })
    #expect(diagnosed > 80)
    #expect(failed > 100)
  }

  // MARK: The last overflow page

  /// A database with one long value whose last overflow page is damaged, and the page's number.
  private func makeDamagedValue(_ path: String, length: Int = 30_000) throws -> Int {
    let queue = try DatabaseQueue(path: path, key: Self.key)
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB); CREATE TABLE u (a)")
      try db.execute(
        sql: "INSERT INTO t VALUES (1, ?)", arguments: [Data(repeating: 7, count: length)])
    }
    try queue.close()
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    let pageSize = CipherSettings.default.pageSize
    let last = data.count / pageSize
    data[(last - 1) * pageSize + 10] ^= 4
    try data.write(to: URL(fileURLWithPath: path))
    return last
  }

  private func expectDamage<T>(_ body: () throws -> T) {
    let error = #expect(throws: DatabaseError.self) { _ = try body() }
    #expect(error?.resultCode == .SQLITE_CORRUPT)
  }

  @Test(arguments: [6_000, 30_000])
  func `a read never ends well with a value whose last page is damaged`(length: Int) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    let page = try makeDamagedValue(path, length: length)
    let queue = try DatabaseQueue(path: path, key: Self.key)
    let sql = "SELECT data FROM t"
    expectDamage { try queue.read { try Data.fetchOne($0, sql: sql) } }
    // Nothing damaged stays in the cache: it is noticed every time.
    expectDamage { try queue.read { try Data.fetchOne($0, sql: sql) } }
    // Accesses that don't read the page still work.
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT id FROM t") } == 1)
    #expect(try queue.read { try $0.checkCipherIntegrity() } == [page])
  }

  @Test func `an asynchronous read never ends well with a value whose last page is damaged`()
    async throws
  {
    let folder = try TemporaryDirectory()
    _ = try makeDamagedValue(folder.path("db"))
    let queue = try DatabaseQueue(path: folder.path("db"), key: Self.key)
    let error = await #expect(throws: DatabaseError.self) {
      _ = try await queue.read { try Data.fetchOne($0, sql: "SELECT data FROM t") }
    }
    #expect(error?.resultCode == .SQLITE_CORRUPT)
  }

  @Test func `SQLite's error about a damaged structure says what to do`() throws {
    func error(key: DatabaseKey?) throws -> DatabaseError? {
      let folder = try TemporaryDirectory()
      var configuration = Configuration()
      configuration.key = key
      let queue = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
      try queue.writeWithoutTransaction { db in
        try db.execute(
          sql: """
            CREATE TABLE t (a); CREATE INDEX i ON t (a);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET rootpage = 5 - rootpage;
            """)
      }
      try queue.close()
      let other = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
      return #expect(throws: DatabaseError.self) {
        try other.read { _ = try Int.fetchOne($0, sql: "SELECT a FROM t") }
      }
    }
    let encrypted = try error(key: Self.key)
    #expect(encrypted?.resultCode == .SQLITE_CORRUPT)
    #expect("\(encrypted as Any)".contains("checkCipherIntegrity()"))
    let plain = try error(key: nil)
    #expect(plain?.resultCode == .SQLITE_CORRUPT)
    #expect("\(plain as Any)".contains("PRAGMA integrity_check"))
    #expect(!"\(plain as Any)".contains("checkCipherIntegrity()"))
  }

  @Test func `the error about a damaged value says what to do`() throws {
    let folder = try TemporaryDirectory()
    _ = try makeDamagedValue(folder.path("db"))
    let queue = try DatabaseQueue(path: folder.path("db"), key: Self.key)
    let error = #expect(throws: DatabaseError.self) {
      try queue.read { _ = try Data.fetchOne($0, sql: "SELECT data FROM t") }
    }
    #expect("\(error as Any)".contains("checkCipherIntegrity"))
  }

  @Test func `a write never ends well with a value whose last page is damaged`() throws {
    let folder = try TemporaryDirectory()
    _ = try makeDamagedValue(folder.path("db"))
    let queue = try DatabaseQueue(path: folder.path("db"), key: Self.key)
    expectDamage { try queue.write { try Data.fetchOne($0, sql: "SELECT data FROM t") } }
    expectDamage {
      try queue.write { db in
        try db.execute(sql: "INSERT INTO u VALUES (1)")
        _ = try Data.fetchOne(db, sql: "SELECT data FROM t")
      }
    }
    expectDamage { try queue.write { try $0.execute(sql: "INSERT INTO u SELECT data FROM t") } }
    for kind in [Database.TransactionKind.deferred, .immediate, .exclusive] {
      expectDamage {
        try queue.inTransaction(kind) { db in
          _ = try Data.fetchOne(db, sql: "SELECT data FROM t")
          return .commit
        }
      }
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM u") } == 0)
  }

  @Test func `damage is told beside a journal in memory, too`() throws {
    let folder = try TemporaryDirectory()
    _ = try makeDamagedValue(folder.path("db"))
    var configuration = Configuration()
    configuration.journalMode = .delete
    let queue = try DatabaseQueue(
      path: folder.path("db"), key: Self.key, configuration: configuration)
    try queue.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = MEMORY") }
    expectDamage {
      try queue.write { db in
        try db.execute(sql: "INSERT INTO u VALUES (1)")
        _ = try Data.fetchOne(db, sql: "SELECT data FROM t")
      }
    }
    // An older SQLite doesn't read the schema again.
    guard SQLCipherGeneration.linked >= .four else { return }
    let memory = try DatabaseQueue()
    let error = databaseError {
      try memory.write { db in
        try db.execute(
          sql: """
            CREATE TABLE t (a); CREATE INDEX i ON t (a); PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET rootpage = 5 - rootpage; PRAGMA writable_schema = RESET;
            INSERT INTO t VALUES (1)
            """)
      }
    }
    #expect(error?.resultCode == .SQLITE_CORRUPT)
  }

  /// As Docs/Encryption.md says, a single statement has no end at which damage could be found.
  @Test func `without a transaction, a value's damaged last page comes as zeros`() throws {
    let folder = try TemporaryDirectory()
    _ = try makeDamagedValue(folder.path("db"))
    let queue = try DatabaseQueue(path: folder.path("db"), key: Self.key)
    let value = try queue.unsafeRead { try Data.fetchOne($0, sql: "SELECT data FROM t") }
    #expect(value?.count == 30_000)
    #expect(value?.first == 7)
    #expect(value?.last == 0)
    expectDamage { try queue.read { try Data.fetchOne($0, sql: "SELECT data FROM t") } }
  }

  @Test func `a read that needs no page from the file asks for none`() throws {
    let folder = try TemporaryDirectory()
    try BadFileTests.makeDatabase(folder.path("db"), key: Self.key)
    let queue = try DatabaseQueue(path: folder.path("db"), key: Self.key)
    let statements = Mutex<[String]>([])
    try queue.inDatabase { db in
      db.trace { event in statements.withLock { $0.append("\(event)") } }
    }
    func read() throws -> [String] {
      statements.withLock { $0 = [] }
      _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
      return statements.withLock { $0 }
    }
    let touch = "SELECT 1 FROM sqlite_master LIMIT 1"
    #expect(try read().contains(touch))
    #expect(try !read().contains(touch))
  }
}
