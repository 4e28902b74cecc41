import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

@Suite struct SalvageTests {
  let folder: TemporaryDirectory
  let path: String
  let target: String
  let key = DatabaseKey.seeded()

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.path("a.db")
    target = folder.path("saved.db")
  }

  private func configuration(
    _ key: DatabaseKey?, _ settings: CipherSettings = .default
  ) -> Configuration {
    var configuration = Configuration()
    configuration.key = key
    configuration.cipher = settings
    return configuration
  }

  private func make(
    _ sql: String, _ settings: CipherSettings = .default, key: DatabaseKey? = nil,
    fill: (Database) throws -> Void = { _ in }
  ) throws {
    let queue = try DatabaseQueue(
      path: path, configuration: configuration(key ?? self.key, settings))
    try queue.inDatabase { db in
      try db.execute(sql: sql)
      try fill(db)
    }
    try queue.close()
  }

  private func damage(_ body: (inout Data) -> Void) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    body(&data)
    try data.write(to: URL(fileURLWithPath: path))
  }

  private func salvage(
    _ settings: CipherSettings = .default, key: DatabaseKey? = nil
  ) throws -> SalvageReport {
    try DatabaseFile.salvage(at: path, key: key ?? self.key, settings: settings, to: target)
  }

  private func read<T>(
    _ settings: CipherSettings = .default, key: DatabaseKey? = nil, _ body: (Database) throws -> T
  ) throws -> T {
    let queue = try DatabaseQueue(
      path: target, configuration: configuration(key ?? self.key, settings))
    defer { try? queue.close() }
    return try queue.read(body)
  }

  /// The first page of a table of the damaged file, before it is damaged.
  private func root(of table: String) throws -> Int {
    let queue = try DatabaseQueue(path: path, configuration: configuration(key))
    defer { try? queue.close() }
    return try queue.read { db in
      let sql = "SELECT rootpage FROM sqlite_master WHERE name = ?"
      return try #require(try Int.fetchOne(db, sql: sql, arguments: [table]))
    }
  }

  // MARK: Whole files

  @Test(arguments: [true, false])
  func `a whole file loses nothing`(isEncrypted: Bool) throws {
    let rich = try ConversionTests()
    let key = isEncrypted ? self.key : nil
    try rich.makeRichDatabase(key)
    let before = try rich.contents(configuration(key), at: rich.path)
    let report = try DatabaseFile.salvage(at: rich.path, key: key, to: target)
    #expect(report.isComplete)
    #expect(report.isAuthenticated == isEncrypted)
    #expect(report.damagedPages.isEmpty)
    #expect(report.lostAndFoundTable == nil)
    #expect(report.description.hasPrefix("Nothing was lost."))
    #expect(try rich.contents(configuration(key), at: target) == before)
    #expect(try rich.contents(configuration(key), at: rich.path) == before)
    #expect(try folder.contents() == ["saved.db"])
  }

  @Test(arguments: SalvageSample.Form.allCases)
  func `every form of file comes back whole`(form: SalvageSample.Form) throws {
    let sample = try SalvageSample.of(form)
    try sample.file.write(to: URL(fileURLWithPath: path))
    let report = try salvage(form.settings, key: sample.key)
    #expect(report.isComplete)
    #expect(report.damagedPages.isEmpty)
    try read(form.settings, key: sample.key) { (db: Database) throws in
      for (name, _, _, _) in SalvageSample.tables {
        #expect(
          try SalvageSample.logicalRows(of: name, db)
            == Set(sample.rows.keys.filter { $0.table == name }.map(\.logicalValues)))
      }
      #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == 11)
      #expect(try Int.fetchOne(db, sql: "PRAGMA application_id") == 12)
      let encoding = form == .utf16 ? "UTF-16le" : "UTF-8"
      #expect(try String.fetchOne(db, sql: "PRAGMA encoding") == encoding)
      #expect(
        try Int.fetchOne(db, sql: "PRAGMA auto_vacuum") == (form == .autoVacuum ? 2 : 0))
    }
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `indexes on expressions of blobs are whole`(encoding: String) throws {
    let key = try DatabaseKey.raw([UInt8](1...32), salt: [UInt8](1...16))
    try make(
      """
      PRAGMA encoding = '\(encoding)';
      CREATE TABLE t (a); CREATE INDEX i ON t(lower(a)); CREATE INDEX j ON t(a) WHERE upper(a) > 'B';
      INSERT INTO t VALUES (x'6100'), (x'4200'), ('Text'), (NULL), (x'FF')
      """, .default, key: key)
    let report = try salvage(.default, key: key)
    #expect(report.isComplete, "\(report)")
    try read(.default, key: key) { (db: Database) throws in
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
      #expect(try String.fetchOne(db, sql: "PRAGMA encoding") == encoding)
    }
  }

  /// Settings other than the defaults, as far as the engine has them.
  static let otherSettings: [CipherSettings] = {
    var withoutHMAC = CipherSettings.default
    withoutHMAC.usesHMAC = false
    var withHeader = CipherSettings.default
    withHeader.plaintextHeaderSize = 32
    var larger = CipherSettings.default
    larger.pageSize = 65536
    return [withoutHMAC, withHeader, larger, .fast].filter { (try? $0.pragmas()) != nil }
  }()

  @Test(arguments: otherSettings)
  func `a file with other settings comes back, and its damage is found`(
    settings: CipherSettings
  ) throws {
    let key = try DatabaseKey.raw([UInt8](1...32), salt: [UInt8](1...16))
    try make("CREATE TABLE t (a); INSERT INTO t VALUES (1), ('two')", settings, key: key)
    let report = try salvage(settings, key: key)
    #expect(report.isComplete, "\(report)")
    #expect(report.isAuthenticated == settings.usesHMAC)
    let rows = try read(settings, key: key) { try Row.fetchAll($0, sql: "SELECT a FROM t") }
    #expect(rows == [["a": 1], ["a": "two"]])
    try FileManager.default.removeItem(atPath: target)
    let size = settings.pageSize
    try damage { $0.replaceSubrange(size..<(2 * size), with: Data(repeating: 0x55, count: size)) }
    let damaged = try salvage(settings, key: key)
    #expect(damaged.damagedPages == [2])
    #expect(damaged.tables.first?.lostPages == [2])
    #expect(
      try read(settings, key: key) { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 0)
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasStrictTables))
  func `generated columns, odd names and full text come back`() throws {
    try make(
      """
      CREATE TABLE g (id INTEGER PRIMARY KEY, a INT, v AS (a * 2) VIRTUAL, s AS (a * 3) STORED, b);
      INSERT INTO g (a, b) VALUES (1, 'x'), (2, NULL);
      CREATE TABLE w (v AS (b || 'v'), a, b TEXT, s AS (a + 1) STORED, PRIMARY KEY (b, a))
        WITHOUT ROWID;
      INSERT INTO w (a, b) VALUES (1, 'one'), (2, 'two');
      CREATE TABLE strict (a INT, b ANY) STRICT; INSERT INTO strict VALUES (1, '1'), (2, 2.5);
      CREATE TABLE "odd ""name" (x REAL, y TEXT UNIQUE ON CONFLICT REPLACE);
      INSERT INTO "odd ""name"
        VALUES (1, 'a'), (1e300, ''), (NULL, NULL), (-0.5, 'b' || char(0) || 'c');
      CREATE VIRTUAL TABLE ft USING \(Database.engine.hasFTS5 ? "fts5" : "fts4")(text); INSERT INTO ft VALUES ('hello world'), ('moby dick');
      """)
    let report = try salvage()
    #expect(report.isComplete, "\(report)")
    let lines = try [path, target].map { file in
      let queue = try DatabaseQueue(path: file, configuration: configuration(key))
      defer { try? queue.close() }
      return try queue.read { db in
        try ["g", "w", "strict", "\"odd \"\"name\"", "ft WHERE ft MATCH 'moby'"].map {
          try Row.fetchAll(db, sql: "SELECT * FROM \($0)")
        }
      }
    }
    #expect(lines[0] == lines[1])
    #expect(lines[0].map(\.count) == [2, 2, 2, 4, 1])
  }

  // MARK: Keys

  @Test func `a wrong key is named, and makes no file`() throws {
    try make("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    let error = #expect(throws: DatabaseError.self) {
      try DatabaseFile.salvage(at: path, key: .passphrase("wrong"), to: target)
    }
    #expect(error?.cipherDiagnosis == .wrongKey || error?.cipherDiagnosis == .wrongKeyOrDamaged)
    let none = #expect(throws: DatabaseError.self) {
      try DatabaseFile.salvage(at: path, key: nil, to: target)
    }
    #expect(none?.cipherDiagnosis == .keyRequired)
    let missing = #expect(throws: DatabaseError.self) {
      try DatabaseFile.salvage(at: folder.path("missing"), key: key, to: target)
    }
    #expect(missing?.resultCode == .SQLITE_CANTOPEN)
    #expect(try folder.contents() == ["a.db"])
  }

  @Test func `an existing target is never replaced`() throws {
    try make("CREATE TABLE t (a)")
    try Data([1]).write(to: URL(fileURLWithPath: target))
    for place in [target, path] {
      let error = #expect(throws: DatabaseError.self) {
        try DatabaseFile.salvage(at: path, key: key, to: place)
      }
      #expect(error?.resultCode == .SQLITE_CANTOPEN)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data([1]))
  }

  @Test func `a lost salt leaves a raw key unauthenticated rows, and a passphrase nothing`() throws
  {
    try make("CREATE TABLE t (a); INSERT INTO t VALUES (1), ('two')")
    try damage { for index in 0..<16 { $0[index] ^= 0xFF } }
    let report = try salvage()
    #expect(!report.isAuthenticated)
    #expect(report.isComplete)
    #expect(report.description.contains("could not be authenticated"))
    #expect(try read { try Row.fetchAll($0, sql: "SELECT a FROM t") } == [["a": 1], ["a": "two"]])
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.removeItem(atPath: target)
    let passphrase = DatabaseKey.passphrase("secret")
    try make("CREATE TABLE t (a)", key: passphrase)
    try damage { $0[3] ^= 1 }
    let error = #expect(throws: DatabaseError.self) { try salvage(key: passphrase) }
    #expect(error?.cipherDiagnosis == .wrongKey || error?.cipherDiagnosis == .wrongKeyOrDamaged)
    #expect(!FileManager.default.fileExists(atPath: target))
  }

  // MARK: Lost pages of the schema

  @Test func `without the first page, all rows are in lost_and_found`() throws {
    let sample = try SalvageSample.of(.standard)
    var file = sample.file
    file.replaceSubrange(0..<1024, with: [UInt8](repeating: 0xAA, count: 1024))
    try file.write(to: URL(fileURLWithPath: path))
    let report = try salvage(sample.form.settings, key: sample.key)
    #expect(report.isHeaderLost)
    #expect(!report.isSchemaComplete)
    #expect(!report.isComplete)
    #expect(report.damagedPages == [1])
    // A schema of several pages is found without its root.
    #expect(report.tables.count + report.lostAndFoundRows > 0)
  }

  @Test(arguments: SalvageSample.Form.allCases)
  func `without a page of the schema, intact rows come back`(form: SalvageSample.Form) throws {
    let sample = try SalvageSample.of(form)
    for page in sample.schemaPages.sorted() {
      var file = sample.file
      let size = form.settings.pageSize
      file.replaceSubrange(
        ((page - 1) * size)..<(page * size), with: [UInt8](repeating: 0xAA, count: size))
      try SalvageTrialTests().check(sample, file, lost: [page], "page \(page), \(form)")
    }
  }

  @Test func `a lost inner page hides no rows of a table`() throws {
    try make("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)") { db in
      for number in 1...600 {
        try db.execute(
          sql: "INSERT INTO t VALUES (?, ?)",
          arguments: [number, String(repeating: "x", count: 100) + "\(number)"])
      }
    }
    let root = try root(of: "t")
    let size = CipherSettings.default.pageSize
    try damage { $0[(root - 1) * size + 50] ^= 1 }
    let report = try salvage()
    #expect(report.damagedPages == [root])
    #expect(report.isComplete, "\(report)")
    #expect(report.tables.first?.savedRows == 600)
    #expect(try read { try Int.fetchOne($0, sql: "SELECT sum(id) FROM t") } == 180_300)
  }

  @Test func `a full-text index is made again from the rows that are left`() throws {
    try make("CREATE VIRTUAL TABLE ft USING fts4(text)") { db in
      for number in 1...50 {
        try db.execute(sql: "INSERT INTO ft VALUES (?)", arguments: ["word\(number) common"])
      }
    }
    let page = try root(of: "ft_segdir")
    try damage { $0[(page - 1) * CipherSettings.default.pageSize + 50] ^= 1 }
    let report = try salvage()
    #expect(report.tables.first { $0.name == "ft_segdir" }?.lostPages == [page])
    #expect(report.damagedVirtualTables.isEmpty)
    let sql = "SELECT count(*) FROM ft WHERE ft MATCH ?"
    #expect(try read { try Int.fetchOne($0, sql: sql, arguments: ["common"]) } == 50)
    #expect(try read { try Int.fetchOne($0, sql: sql, arguments: ["word7"]) } == 1)
  }

  @Test func `a row that a constraint rejects is kept aside`() throws {
    try make(
      """
      CREATE TABLE lost_and_found (x); CREATE TABLE t (a, b);
      INSERT INTO t VALUES (1, 'one'), (NULL, 'none'), (3, 'three')
      """)
    let connection = try FileConnection(
      path: path, key: .existing(at: path, key: key, settings: .default))
    try connection.run(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = 'CREATE TABLE t (a NOT NULL, b)' WHERE name = 't'
      """)
    connection.close()
    let report = try salvage()
    let table = try #require(report.tables.first { $0.name == "t" })
    #expect(table.savedRows == 2)
    #expect(table.rejectedRows == 1)
    #expect(table.lostRows == 0)
    #expect(!report.isComplete)
    #expect(report.lostAndFoundTable == "lost_and_found_0")
    let page = try root(of: "t")
    #expect(
      try read { try Row.fetchAll($0, sql: "SELECT * FROM lost_and_found_0") } == [
        ["rootpgno": page, "pgno": page, "nfield": 2, "id": 2, "c0": nil, "c1": "none"]
      ])
  }

  // MARK: Logs

  @Test func `commits in the WAL are saved, up to its first damaged frame`() throws {
    var pool: DatabasePool? = try DatabasePool(path: path, configuration: configuration(key))
    try pool?.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    try pool?.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    for number in 2...4 {
      try pool?.write { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number]) }
    }
    let copy = folder.path("copy.db")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
    try pool?.close()
    pool = nil
    let report = try DatabaseFile.salvage(at: copy, key: key, to: target)
    #expect(report.isComplete, "\(report)")
    #expect(try read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") } == [1, 2, 3, 4])
    try FileManager.default.removeItem(atPath: target)
    // The frame of the second of three commits.
    let wal = URL(fileURLWithPath: copy + "-wal")
    var data = try Data(contentsOf: wal)
    data[32 + (24 + CipherSettings.default.pageSize) + 200] ^= 1
    try data.write(to: wal)
    let second = try DatabaseFile.salvage(at: copy, key: key, to: target)
    #expect(second.hasLostCommits)
    #expect(!second.isComplete)
    #expect(try read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") } == [1, 2])
  }

  @Test func `an unfinished transaction is undone by its journal`() throws {
    try make("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    var journaled = configuration(key)
    journaled.journalMode = .delete
    let queue = try DatabaseQueue(path: path, configuration: journaled)
    let copy = folder.path("copy.db")
    try queue.inDatabase { db in
      try db.execute(sql: "PRAGMA cache_size = 5; BEGIN IMMEDIATE")
      // More than the cache holds is written to the file before the commit.
      for number in 2...300 {
        try db.execute(
          sql: "INSERT INTO t VALUES (?)",
          arguments: [String(repeating: "y", count: 900) + "\(number)"])
      }
      try db.execute(sql: "UPDATE t SET a = 0 WHERE a = 1")
      for number in 2...300 {
        try db.execute(
          sql: "INSERT INTO t VALUES (?)",
          arguments: [String(repeating: "z", count: 900) + "\(number)"])
      }
      for suffix in ["", "-journal"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      }
      try db.execute(sql: "ROLLBACK")
    }
    try queue.close()
    let report = try DatabaseFile.salvage(at: copy, key: key, to: target)
    #expect(report.isComplete, "\(report)")
    #expect(try read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1])
  }

  // MARK: The report

  @Test func `the report is the same after encoding`() throws {
    let sample = try SalvageSample.of(.standard)
    var file = sample.file
    file[30 * 1024 + 9] ^= 1
    try file.write(to: URL(fileURLWithPath: path))
    let report = try salvage(sample.form.settings, key: sample.key)
    #expect(report.damagedPages == [31])
    let data = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(SalvageReport.self, from: data) == report)
  }

  @Test func `progress advances, and an error from it cancels`() throws {
    let sample = try SalvageSample.of(.standard)
    try sample.file.write(to: URL(fileURLWithPath: path))
    var phases: [DatabaseFile.Progress.Phase] = []
    _ = try DatabaseFile.salvage(
      at: path, key: sample.key, settings: sample.form.settings, to: target
    ) { if phases.last != $0.phase { phases.append($0.phase) } }
    #expect(phases == [.copying, .verifying, .finished])
    try FileManager.default.removeItem(atPath: target)
    for phase in [DatabaseFile.Progress.Phase.copying, .verifying] {
      #expect(throws: CancellationError.self) {
        try DatabaseFile.salvage(
          at: path, key: sample.key, settings: sample.form.settings, to: target
        ) { if $0.phase == phase { throw CancellationError() } }
      }
      #expect(try folder.contents() == ["a.db"])
    }
  }
}
