import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

struct ConversionTests {
  let directory: TemporaryDirectory
  let path: String
  let key = DatabaseKey.seeded()

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("a.db")
  }

  /// Everything that an export might lose or change.
  func makeRichDatabase(_ key: DatabaseKey?) throws {
    var configuration = Configuration()
    configuration.key = key
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.inDatabase { db in
      try db.execute(
        sql: """
          PRAGMA auto_vacuum = INCREMENTAL; VACUUM;
          PRAGMA user_version = 42; PRAGMA application_id = 4711;
          CREATE TABLE plain (a, b TEXT COLLATE NOCASE);
          CREATE INDEX covering ON plain (b, a);
          CREATE TABLE odd ("rowid" TEXT, "a b" INT, x REAL DEFAULT 1.5);
          CREATE TABLE hidden (rowid, oid, _rowid_);
          CREATE TABLE declared (id INTEGER PRIMARY KEY AUTOINCREMENT, v BLOB);
          CREATE TABLE descending (id INTEGER PRIMARY KEY DESC, v);
          CREATE TABLE keyed (a TEXT, b INT, PRIMARY KEY (a, b)) WITHOUT ROWID;
          CREATE TABLE parent (id INTEGER PRIMARY KEY);
          CREATE TABLE child (parent REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
          CREATE TABLE log (t TEXT);
          CREATE TRIGGER plain_log AFTER INSERT ON plain BEGIN INSERT INTO log VALUES (new.b); END;
          CREATE TRIGGER plain_gone AFTER DELETE ON plain BEGIN INSERT INTO log VALUES ('gone'); END;
          CREATE VIEW both AS SELECT plain.a, odd."a b" FROM plain, odd;
          CREATE VIRTUAL TABLE words USING fts4(content="plain", b);
          CREATE VIRTUAL TABLE own USING fts4(text);
          CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1);
          """)
      try db.beginTransaction()
      for number in 1...60 {
        try db.execute(
          sql: """
            INSERT INTO plain VALUES (?1, ?2); INSERT INTO odd VALUES (?2, ?1, ?1 / 3.0);
            """, arguments: [number, "word\(61 - number) MARKER", number, "o\(number)"])
        try db.execute(
          sql: """
            INSERT INTO declared (v) VALUES (?); INSERT INTO keyed VALUES (?, ?);
            INSERT INTO own VALUES (?); INSERT INTO descending VALUES (?, ?);
            INSERT INTO boxes VALUES (?, ?, ?); INSERT INTO hidden VALUES (?, ?, ?)
            """,
          arguments: [
            Data([UInt8(number), 0]), "k\(number)", number, "text\(number)", number * 7, "d",
            number, number, number + 1, "r", "o\(number)", "u",
          ])
      }
      try db.execute(
        sql: """
          DELETE FROM plain WHERE a % 3 = 0; DELETE FROM odd WHERE "a b" < 20;
          DELETE FROM declared WHERE id > 50;
          INSERT INTO words (docid, b) SELECT rowid, b FROM plain;
          INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1);
          ANALYZE
          """)
      try db.commit()
    }
    try queue.close()
  }

  /// The content of the database.
  func contents(_ configuration: Configuration, at path: String) throws -> [String] {
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    return try queue.inDatabase { db in
      var lines: [String] = []
      func add(_ sql: String) throws {
        for row in try Row.fetchAll(db, sql: sql) {
          lines.append((0..<row.count).map { "\(row[$0] as DatabaseValue)" }.joined(separator: "|"))
        }
        lines.append("-- \(sql)")
      }
      for pragma in ["user_version", "application_id", "auto_vacuum", "integrity_check"] {
        try add("PRAGMA \(pragma)")
      }
      try add("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2")
      try add("SELECT rowid, * FROM plain ORDER BY rowid")
      try add("SELECT oid, * FROM odd ORDER BY oid")
      try add("SELECT * FROM hidden ORDER BY oid")
      for table in [
        "declared", "descending", "keyed", "parent", "child", "log", "own", "boxes",
        "sqlite_sequence", "sqlite_stat1",
      ] {
        try add("SELECT * FROM \(table) ORDER BY 1")
      }
      try add("SELECT rowid FROM descending ORDER BY 1")
      try add("SELECT docid, b FROM words WHERE words MATCH 'word5'")
      try add("SELECT docid FROM own WHERE own MATCH 'text7'")
      try add("SELECT id FROM boxes WHERE x0 < 5 AND x1 > 3")
      return lines
    }
  }

  func configuration(_ key: DatabaseKey?, _ cipher: CipherSettings = .default) -> Configuration {
    var configuration = Configuration()
    configuration.key = key
    configuration.cipher = cipher
    return configuration
  }

  func isPlaintext(_ path: String) throws -> Bool {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return data.range(of: Data("MARKER".utf8)) != nil || data.starts(with: SQLiteHeader.magic)
  }

  var otherSettings: CipherSettings {
    var settings = CipherSettings.default
    settings.pageSize = 8192
    settings.kdfIterations = 5000
    return settings
  }

  // MARK: Faithfulness

  @Test func `encrypting and decrypting keep everything`() throws {
    try makeRichDatabase(nil)
    let before = try contents(configuration(nil), at: path)
    let encrypted = directory.path("e.db")
    try DatabaseFile.encrypt(at: path, to: encrypted, key: key)
    #expect(try !isPlaintext(encrypted))
    #expect(try contents(configuration(key), at: encrypted) == before)
    let decrypted = directory.path("d.db")
    try DatabaseFile.decrypt(at: encrypted, key: key, to: decrypted)
    #expect(try isPlaintext(decrypted))
    #expect(try contents(configuration(nil), at: decrypted) == before)
    #expect(try contents(configuration(nil), at: path) == before)
    #expect(try directory.contents() == ["a.db", "d.db", "e.db"])
  }

  @Test func `a file is encrypted, converted and decrypted in its place`() throws {
    try makeRichDatabase(nil)
    let before = try contents(configuration(nil), at: path)
    try DatabaseFile.encrypt(at: path, to: path, key: key)
    #expect(try contents(configuration(key), at: path) == before)
    try DatabaseFile.convert(at: path, key: key, from: .default, to: otherSettings)
    #expect(try contents(configuration(key, otherSettings), at: path) == before)
    let passphrase = DatabaseKey.passphrase("new one")
    try DatabaseFile.convert(
      at: path, key: key, from: otherSettings, to: otherSettings, newKey: passphrase)
    #expect(try contents(configuration(passphrase, otherSettings), at: path) == before)
    try DatabaseFile.decrypt(at: path, key: passphrase, cipher: otherSettings, to: path)
    #expect(try contents(configuration(nil), at: path) == before)
    #expect(try directory.contents() == ["a.db"])
  }

  @Test(
    arguments: [
      CipherSettings(
        pageSize: 2048, kdfIterations: 1000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1),
      CipherSettings(
        pageSize: 4096, kdfIterations: 1000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1,
        usesHMAC: false),
      CipherSettings(pageSize: 65536, kdfIterations: 1000, hmacAlgorithm: .sha256),
    ])
  func `any settings that the engine knows can be the target's`(settings: CipherSettings) throws {
    try makeRichDatabase(nil)
    let before = try contents(configuration(nil), at: path)
    let target = directory.path("e.db")
    let convert = {
      try DatabaseFile.encrypt(
        at: path, to: target, key: .passphrase("secret"), cipher: settings)
    }
    guard (try? settings.pragmas()) != nil else {
      let error = #expect(throws: DatabaseError.self) { try convert() }
      #expect("\(error!)".contains("SQLCipher 4"))
      return
    }
    try convert()
    #expect(try contents(configuration(.passphrase("secret"), settings), at: target) == before)
  }

  @Test func `rowids without a declared column stay`() throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE t (a); CREATE TABLE link (to_t INTEGER)")
      for number in 1...9 { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number]) }
      try db.execute(sql: "DELETE FROM t WHERE a < 6; INSERT INTO link SELECT rowid FROM t")
    }
    try queue.close()
    try DatabaseFile.encrypt(at: path, to: path, key: key)
    let rowids = try DatabaseQueue(path: path, key: key).read {
      try Int.fetchAll($0, sql: "SELECT t.rowid FROM t JOIN link ON to_t = t.rowid WHERE a = 7")
    }
    #expect(rowids == [7])
  }

  @Test func `rowids stay, with all or some of a range and whichever index has all columns`() throws
  {
    var random = SeededGenerator()
    let queue = try DatabaseQueue(path: path)
    let indexes = ["", "CREATE INDEX %i ON %t (b)", "CREATE INDEX %i ON %t (b, a)"]
    let tables = (0..<12).map { "t\($0)" }
    let before = try queue.write { db in
      for (number, table) in tables.enumerated() {
        try db.execute(sql: "CREATE TABLE \(table) (a, b TEXT)")
        let first = Int64.random(in: -3...3, using: &random)
        let isDense = number.isMultiple(of: 2)
        for rowID in first..<first + 50 where isDense || Bool.random(using: &random) {
          try db.execute(
            sql: "INSERT INTO \(table) (rowid, a, b) VALUES (?, ?, ?)",
            arguments: [rowID, rowID, "\(Int.random(in: 0...9, using: &random))"])
        }
        let index = indexes[number / 2 % 3]
          .replacing("%i", with: "i\(number)").replacing("%t", with: table)
        try db.execute(sql: index)
      }
      return try tables.map { try Row.fetchAll(db, sql: "SELECT rowid, * FROM \($0) ORDER BY 1") }
    }
    try queue.close()
    try DatabaseFile.encrypt(at: path, to: path, key: key)
    let after = try DatabaseQueue(path: path, key: key).read { db in
      try tables.map { try Row.fetchAll(db, sql: "SELECT rowid, * FROM \($0) ORDER BY 1") }
    }
    #expect(after == before)
  }

  @Test func `a copy that is cancelled while it is verified leaves nothing`() throws {
    try makeRichDatabase(nil)
    let target = directory.path("b.db")
    let before = try directory.contents()
    for count in 1...6 {
      var reports = 0
      #expect(throws: CancellationError.self) {
        try DatabaseFile.encrypt(at: path, to: target, key: key) { progress in
          if progress.phase == .verifying { reports += 1 }
          if reports == count { throw CancellationError() }
        }
      }
      #expect(try directory.contents() == before)
    }
    try DatabaseFile.encrypt(at: path, to: target, key: key)
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasStrictTables && SQLiteFeatures.linked.hasFTS5))
  func `generated columns, strict tables and FTS5 are kept`() throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE g (a INT, b AS (a * 2), c TEXT AS (a || 'x') STORED, d);
          CREATE TABLE s (a INTEGER, b ANY) STRICT;
          CREATE INDEX g_b ON g (b);
          CREATE VIRTUAL TABLE f USING fts5(d, content='g');
          INSERT INTO g (a, d) VALUES (1, 'one'), (2, 'two'), (3, 'three');
          INSERT INTO s VALUES (1, 'x'), (2, 1), (3, x'00');
          DELETE FROM g WHERE a = 2; DELETE FROM s WHERE a = 1;
          INSERT INTO f (f) VALUES ('rebuild')
          """)
    }
    try queue.close()
    try DatabaseFile.encrypt(at: path, to: path, key: key)
    try DatabaseQueue(path: path, key: key).read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT rowid, b, c, d FROM g ORDER BY 1")
      #expect(rows.map { $0[0] as Int } == [1, 3])
      #expect(rows.map { $0[1] as Int } == [2, 6])
      #expect(rows.map { $0[2] as String } == ["1x", "3x"])
      #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM s") == [2, 3])
      #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM f WHERE f MATCH 'three'") == [3])
      #expect(try String.fetchAll(db, sql: "SELECT d FROM f WHERE f MATCH 'three'") == ["three"])
    }
  }

  @Test(.enabled(if: SQLCipherGeneration.linked == .four))
  func `a plaintext header comes and goes, and the key may be changed under it`() throws {
    let salt = Array(UInt8(0)..<16)
    let key = try DatabaseKey.raw([UInt8](repeating: 9, count: 32), salt: salt)
    try makeRichDatabase(nil)
    let before = try contents(configuration(nil), at: path)
    let settings = CipherSettings(plaintextHeaderSize: 32)
    try DatabaseFile.encrypt(at: path, to: path, key: key, cipher: settings)
    #expect(try contents(configuration(key, settings), at: path) == before)
    let queue = try DatabaseQueue(path: path, configuration: configuration(key, settings))
    let other = try DatabaseKey.raw([UInt8](repeating: 8, count: 32), salt: salt)
    try queue.changeKey(to: other)
    #expect(try queue.checkCipherIntegrity() == [])
    try queue.close()
    try DatabaseFile.convert(at: path, key: other, from: settings, to: .default)
    #expect(try contents(configuration(other), at: path) == before)
  }

  @Test func `text in UTF-16 stays so`() throws {
    let queue = try DatabaseQueue(path: path)
    try queue.inDatabase { db in
      try db.execute(sql: "PRAGMA encoding = 'UTF-16le'")
      try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('g\u{FC}n')")
    }
    try queue.close()
    try DatabaseFile.encrypt(at: path, to: path, key: key)
    try DatabaseQueue(path: path, key: key).read { db throws in
      #expect(try String.fetchOne(db, sql: "PRAGMA encoding") == "UTF-16le")
      #expect(try String.fetchOne(db, sql: "SELECT a FROM t") == "g\u{FC}n")
    }
  }

  @Test(arguments: ["plain.db", "plain-wal.db"])
  func `the journal mode stays`(fixture: String) throws {
    let path = try Fixtures.temporaryCopy(fixture)
    let isWAL = fixture.contains("wal")
    try DatabaseFile.encrypt(at: path, to: path, key: key)
    let queue = try DatabaseQueue(path: path, key: key)
    #expect(
      try queue.inDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        == (isWAL ? "wal" : "delete"))
  }

  // MARK: Fixtures of both generations

  static let fixtures: [(name: String, settings: CipherSettings)] = {
    var page4096 = CipherSettings.sqlcipher3
    page4096.pageSize = 4096
    return [
      ("v3-passphrase.db", .sqlcipher3), ("v3-raw-key.db", .sqlcipher3),
      ("v3-page-size-4096.db", page4096), ("v4-compatibility-3.db", .sqlcipher3),
      ("v4-passphrase.db", .sqlcipher4), ("v4-raw-key.db", .sqlcipher4),
      ("v4-raw-key-salt.db", .sqlcipher4), ("v4-odd-passphrase.db", .sqlcipher4),
      ("v4-page-8192-kdf-10000.db", CipherSettings(pageSize: 8192, kdfIterations: 10_000)),
      ("v4-wal.db", .sqlcipher4), ("v4-wal-killed.db", .sqlcipher4),
    ]
  }()

  static func key(of fixture: String) throws -> DatabaseKey {
    let bytes = Hex.bytes(Fixtures.rawKeyHex)
    if fixture.contains("raw-key-salt") {
      return try .raw(bytes, salt: Hex.bytes(Fixtures.saltHex))
    }
    if fixture.contains("raw-key") { return try .raw(bytes) }
    return .passphrase(
      fixture.contains("odd") ? Fixtures.oddPassphrase : Fixtures.passphrase)
  }

  func expectFixture(_ path: String, _ configuration: Configuration) throws {
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.read { db in
      #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == Fixtures.userVersion)
      #expect(try Int.fetchOne(db, sql: "PRAGMA application_id") == Fixtures.applicationID)
      let rows = try Row.fetchAll(db, sql: "SELECT name, price, data FROM items ORDER BY id")
      #expect(rows.count == Fixtures.rowCount)
      for (index, row) in rows.enumerated() {
        #expect(row[0] == Fixtures.name(ofRow: index + 1))
        #expect(row[1] == Fixtures.price(ofRow: index + 1))
        #expect(row[2] == Data(Fixtures.data(ofRow: index + 1)))
      }
    }
    try queue.close()
  }

  @Test(arguments: fixtures.indices)
  func `a fixture opens, and is converted to the engine's own settings`(index: Int) throws {
    let (name, settings) = Self.fixtures[index]
    guard (try? settings.pragmas()) != nil else { return }
    let path = try Fixtures.temporaryCopy(name)
    let key = try Self.key(of: name)
    var target = CipherSettings.default
    target.pageSize = 16384
    target.kdfIterations = 4000
    try DatabaseFile.convert(at: path, key: key, from: settings, to: target)
    try expectFixture(path, configuration(key, target))
    try DatabaseFile.convert(at: path, key: key, from: target, to: settings)
    try expectFixture(path, configuration(key, settings))
  }

  @Test func `SQLCipher 3 becomes 4, or names the version that is missing`() throws {
    let path = try Fixtures.temporaryCopy("v3-passphrase.db")
    let key = DatabaseKey.passphrase(Fixtures.passphrase)
    let convert = {
      try DatabaseFile.convert(at: path, key: key, from: .sqlcipher3, to: .sqlcipher4)
    }
    if SQLCipherGeneration.linked == .three {
      let error = #expect(throws: DatabaseError.self) { try convert() }
      #expect("\(error!)".contains("SQLCipher 4"))
      try expectFixture(path, configuration(key, .sqlcipher3))
    } else {
      try convert()
      try expectFixture(path, configuration(key, .sqlcipher4))
    }
  }

  // MARK: Refusals and failures

  @Test func `an existing target is not overwritten`() throws {
    try makeRichDatabase(nil)
    let target = directory.path("b.db")
    try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
    #expect(throws: DatabaseError.self) {
      try DatabaseFile.encrypt(at: path, to: target, key: key)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("precious".utf8))
    #expect(try directory.contents() == ["a.db", "b.db"])
  }

  @Test(arguments: [false, true])
  func `a source in use is refused`(wal: Bool) throws {
    var configuration = Configuration()
    configuration.journalMode = wal ? .wal : .delete
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    try queue.inDatabase { db in
      try db.execute(sql: "BEGIN; SELECT * FROM t")
      let error = #expect(throws: DatabaseError.self) {
        try DatabaseFile.encrypt(at: path, to: path, key: key)
      }
      #expect(error?.resultCode == .SQLITE_BUSY)
      try db.execute(sql: "INSERT INTO t VALUES (1); COMMIT")
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 1)
    #expect(try directory.contents().filter { $0.contains("partial") } == [])
  }

  @Test func `what is not a plaintext database is refused`() throws {
    let target = directory.path("b.db")
    #expect(throws: DatabaseError.self) {
      try DatabaseFile.encrypt(at: path, to: target, key: key)
    }
    try makeRichDatabase(key)
    #expect(throws: DatabaseError.self) {
      try DatabaseFile.encrypt(at: path, to: target, key: key)
    }
    #expect(throws: DatabaseError.self) {
      try DatabaseFile.encrypt(at: path, to: target, key: .passphrase(""))
    }
    #expect(try directory.contents() == ["a.db"])
  }

  @Test func `a wrong key is diagnosed`() throws {
    try makeRichDatabase(key)
    let error = #expect(throws: DatabaseError.self) {
      try DatabaseFile.decrypt(at: path, key: .seeded(), to: directory.path("b.db"))
    }
    #expect(error?.resultCode == .SQLITE_NOTADB)
    #expect("\(error!)".contains("key is wrong"))
    #expect(try directory.contents() == ["a.db"])
  }

  @Test func `progress counts up, and what it throws leaves nothing behind`() throws {
    try makeRichDatabase(key)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    var seen: [DatabaseFile.Progress] = []
    try DatabaseFile.convert(
      at: path, key: key, from: .default, to: otherSettings, newPath: directory.path("b.db")
    ) { seen.append($0) }
    #expect(seen.first?.phase == .copying)
    #expect(seen.last == DatabaseFile.Progress(phase: .finished, fraction: 1))
    #expect(seen.allSatisfy { (0...1).contains($0.fraction) })
    try FileManager.default.removeItem(atPath: directory.path("b.db"))
    for limit in 0..<(seen.count - 1) {
      var calls = 0
      #expect(throws: TestError.self) {
        try DatabaseFile.convert(at: path, key: key, from: .default, to: otherSettings) { _ in
          if calls == limit { throw TestError() }
          calls += 1
        }
      }
      #expect(try directory.contents() == ["a.db"])
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `a new file is its owner's alone, and a replaced one keeps its permissions`() throws {
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    try makeRichDatabase(nil)
    let target = directory.path("b.db")
    try DatabaseFile.encrypt(at: path, to: target, key: key)
    #expect(try mode(target) == 0o600)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    try DatabaseFile.encrypt(at: path, to: path, key: key)
    #expect(try mode(path) == 0o640)
  }

  @Test func `a symbolic link goes on pointing to the file`() throws {
    try makeRichDatabase(nil)
    let link = directory.path("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    try DatabaseFile.encrypt(at: link, to: link, key: key)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try !isPlaintext(path))
  }

  @Test func `the files that a killed attempt has left are replaced`() throws {
    try makeRichDatabase(nil)
    let before = try contents(configuration(nil), at: path)
    for suffix in ["", "-journal", "-wal"] {
      try Data(repeating: 7, count: 100_000).write(
        to: URL(fileURLWithPath: path + ".coffer-partial" + suffix))
    }
    try DatabaseFile.encrypt(at: path, to: path, key: key)
    #expect(try contents(configuration(key), at: path) == before)
    #expect(try directory.contents() == ["a.db"])
  }

  @Test func `killed at any moment, the old or the new file is whole`() throws {
    let hex = Hex.key(3)
    let key = try Hex.databaseKey(hex)
    var sizes = [CipherSettings.default.pageSize, 8192]
    var settings = CipherSettings.default
    let queue = try DatabaseQueue(path: path, key: key)
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE t (a, b)")
      for number in 1...4000 {
        try db.execute(
          sql: "INSERT INTO t VALUES (?, ?)",
          arguments: [number, String(repeating: "x", count: 400)])
      }
      try db.execute(sql: "DELETE FROM t WHERE a % 2 = 0")
    }
    try queue.close()
    let attempts = trialCount(7)
    for attempt in 0..<attempts {
      let child = try TestProcess(["convert", path, hex, "\(sizes[0])", "\(sizes[1])"])
      try #require(child.readLine() == "ready")
      usleep(UInt32(attempt * 180_000 / attempts))
      let isDone = child.kill().contains("done")
      let opens = sizes.map { size in
        settings.pageSize = size
        let queue = try? DatabaseQueue(path: path, configuration: configuration(key, settings))
        return try? queue?.read { db in
          #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
          return try Int.fetchOne(db, sql: "SELECT sum(a = rowid) FROM t")
        }
      }
      try #require(opens == [2000, nil] || opens == [nil, 2000])
      if isDone { #expect(opens[1] == 2000) }
      if opens[1] != nil { sizes.reverse() }
    }
    settings.pageSize = sizes[0]
    try DatabaseFile.convert(at: path, key: key, from: settings, to: otherSettings)
    #expect(try directory.contents() == ["a.db"])
  }
}
