import CSQLCipher
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

/// `usePassphrase` and pragmas after it, as for GRDB and any other program over SQLCipher.
@Suite struct CipherPragmaTests {
  private let directory: TemporaryDirectory
  private let path: String
  private static let passphrase = "correct horse"

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("db")
  }

  struct Form: CustomTestStringConvertible, Sendable {
    let pragmas: [String]
    let settings: CipherSettings
    var needs4 = false
    var testDescription: String { pragmas.joined(separator: "; ") }
  }

  static let forms: [Form] = {
    func settings(_ change: (inout CipherSettings) -> Void) -> CipherSettings {
      var settings = CipherSettings.default
      change(&settings)
      return settings
    }
    return [
      Form(pragmas: [], settings: .default),
      Form(pragmas: ["PRAGMA kdf_iter = 4000"], settings: settings { $0.kdfIterations = 4000 }),
      Form(
        pragmas: ["PRAGMA cipher_page_size = 8192"], settings: settings { $0.pageSize = 8192 }),
      Form(
        pragmas: ["pragma main . kdf_iter=5000", "/* x */ PRAGMA cipher_use_hmac = OFF"],
        settings: settings {
          $0.kdfIterations = 5000
          $0.usesHMAC = false
        }),
      Form(pragmas: ["PRAGMA cipher_compatibility = 3"], settings: .sqlcipher3),
      Form(
        pragmas: ["PRAGMA cipher_compatibility = 3", "PRAGMA kdf_iter = 4000"],
        settings: CipherSettings(
          pageSize: 1024, kdfIterations: 4000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1)),
      Form(
        pragmas: ["PRAGMA kdf_iter = 4000", "PRAGMA cipher_compatibility = 3"],
        settings: .sqlcipher3, needs4: true),
      Form(
        pragmas: ["PRAGMA cipher_compatibility = 1"], settings: .sqlcipher1, needs4: true),
      Form(
        pragmas: [
          "PRAGMA cipher_kdf_algorithm = PBKDF2_HMAC_SHA256",
          "PRAGMA cipher_hmac_algorithm = HMAC_SHA1", "PRAGMA kdf_iter = 1000",
        ],
        settings: settings {
          $0.kdfAlgorithm = .sha256
          $0.hmacAlgorithm = .sha1
          $0.kdfIterations = 1000
        }, needs4: true),
    ]
  }()

  static var possibleForms: [Form] {
    forms.filter { !$0.needs4 || SQLCipherGeneration.linked == .four }
  }

  private func configuration(
    _ pragmas: [String], atOnce: Bool = false, before: [String] = [], after: [String] = []
  ) -> Configuration {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.usePassphrase(Self.passphrase)
      for sql in before { try db.execute(sql: sql) }
      if atOnce {
        try db.execute(sql: pragmas.joined(separator: ";\n") + ";  ")
      } else {
        for pragma in pragmas { try db.execute(sql: pragma) }
      }
      for sql in after { try db.execute(sql: sql) }
    }
    return configuration
  }

  /// SQLCipher alone.
  private func stock<T>(
    _ pragmas: [String], _ path: String, _ body: (OpaquePointer) throws -> T
  ) throws -> T {
    var connection: OpaquePointer?
    #expect(sqlite3_open(path, &connection) == SQLITE_OK)
    defer { sqlite3_close(connection) }
    let open = try #require(connection)
    #expect(sqlite3_key(open, Self.passphrase, CInt(Self.passphrase.utf8.count)) == SQLITE_OK)
    for pragma in pragmas { #expect(sqlite3_exec(open, pragma, nil, nil, nil) == SQLITE_OK) }
    return try body(open)
  }

  private func expectRows(
    _ reader: some DatabaseReader, _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      try reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == count,
      sourceLocation: sourceLocation)
  }

  @Test(arguments: possibleForms)
  func `a file made with pragmas is the one that SQLCipher makes`(form: Form) throws {
    for (index, way) in [
      configuration(form.pragmas), configuration(form.pragmas, atOnce: true),
      configuration(form.pragmas, before: ["PRAGMA foreign_keys = ON"]),
      configuration(form.pragmas, after: ["PRAGMA journal_mode = WAL"]),
    ].enumerated() {
      let path = directory.path("\(index)")
      let queue = try DatabaseQueue(path: path, configuration: way)
      try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
      let settings = try queue.inDatabase { $0.openingSettings }
      #expect(settings == form.settings)
      try queue.close()
      // In Coffer's way; and where the file is the same, each other way once.
      var other = Configuration()
      other.key = .passphrase(Self.passphrase)
      other.cipher = form.settings
      try expectRows(DatabaseQueue(path: path, configuration: other), 1)
      if index > 0 { continue }
      try expectRows(DatabaseQueue(path: path, configuration: configuration(form.pragmas)), 1)
      // The key of the configuration, and pragmas.
      var mixed = Configuration()
      mixed.key = .passphrase(Self.passphrase)
      mixed.prepareDatabase { db in for pragma in form.pragmas { try db.execute(sql: pragma) } }
      try expectRows(DatabaseQueue(path: path, configuration: mixed), 1)
      try stock(form.pragmas, path) { connection in
        #expect(sqlite3_exec(connection, "INSERT INTO t VALUES (2)", nil, nil, nil) == SQLITE_OK)
      }
      try expectRows(DatabaseQueue(path: path, configuration: other), 2)
    }
  }

  @Test(arguments: possibleForms)
  func `a file of SQLCipher's own opens with the same pragmas`(form: Form) throws {
    try stock(form.pragmas, path) { connection in
      #expect(
        sqlite3_exec(connection, "CREATE TABLE t (a); INSERT INTO t VALUES (1)", nil, nil, nil)
          == SQLITE_OK)
    }
    try expectRows(DatabaseQueue(path: path, configuration: configuration(form.pragmas)), 1)
    let pool = try DatabasePool(path: path, configuration: configuration(form.pragmas))
    try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    try expectRows(pool, 2)
    try expectRows(pool.makeSnapshot(), 2)
    try expectRows(pool.makeSnapshotPool(), 2)
  }

  @Test(arguments: possibleForms)
  func `a pool derives the key once`(form: Form) throws {
    DerivationCount.startCountingBySalt()
    let pool = try DatabasePool(path: path, configuration: configuration(form.pragmas))
    try pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    let salt = try #require(try FileKey.salt(of: path))
    try expectRows(pool.makeSnapshot(), 1)
    try expectRows(pool.makeSnapshotPool(), 1)
    try expectRows(pool, 1)
    #expect(DerivationCount.count(salt: salt) == 1)
  }

  @Test func `the key is changed, and the settings stay`() throws {
    let pragmas = ["PRAGMA kdf_iter = 4000", "PRAGMA cipher_page_size = 8192"]
    let pool = try DatabasePool(path: path, configuration: configuration(pragmas))
    try pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    try expectRows(pool, 1)
    try pool.changeKey(to: .passphrase("another"))
    try expectRows(pool, 1)
    try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    try pool.backup(toPath: directory.path("copy"))
    try pool.close()
    var changed = Configuration()
    changed.prepareDatabase { db in
      try db.usePassphrase("another")
      for pragma in pragmas { try db.execute(sql: pragma) }
    }
    try expectRows(DatabaseQueue(path: path, configuration: changed), 2)
    try expectRows(DatabaseQueue(path: directory.path("copy"), configuration: changed), 2)
  }

  @Test func `a pragma that SQLCipher doesn't accept is an error`() throws {
    for pragma in [
      "PRAGMA cipher_page_size = 1000", "PRAGMA kdf_iter = 0", "PRAGMA fast_kdf_iter = 4000",
      "PRAGMA cipher_salt = \"x'000102030405060708090A0B0C0D0E0F'\"",
      "PRAGMA cipher_hmac_pgno = be", "PRAGMA cipher_default_kdf_iter = 1000",
      "PRAGMA cipher_plaintext_header_size = 32",
    ] where SQLCipherGeneration.linked == .four || !pragma.contains("header") {
      let error = databaseError {
        try DatabaseQueue(path: path, configuration: configuration([pragma]))
      }
      let hint = "\(error as Any)"
      #expect(
        hint.contains("Configuration.cipher") || hint.contains("raw(_:salt:)")
          || hint.contains("alone") || hint.contains("iterations")
          || hint.contains("power of two"), "\(pragma): \(hint)")
      #expect(DatabaseFile.inspect(at: path).size == 0)
    }
  }

  @Test func `settings come too late once the file is in use`() throws {
    let late = databaseError {
      try DatabaseQueue(
        path: path,
        configuration: configuration(["PRAGMA kdf_iter = 4000"], before: ["CREATE TABLE u (a)"]))
    }
    #expect("\(late as Any)".contains("right after usePassphrase"))
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    try database.queue.inDatabase { db in
      for name in ["kdf_iter", "cipher_page_size", "cipher_compatibility", "cipher_use_hmac"] {
        let error = databaseError { try db.execute(sql: "PRAGMA \(name) = 3") }
        #expect("\(error as Any)".contains("Configuration.cipher"))
      }
      // They can be read.
      #expect(try Int.fetchOne(db, sql: "PRAGMA cipher_page_size") != nil)
      try db.execute(sql: "INSERT INTO t VALUES (1)")
    }
    // Without a key they mean nothing.
    let plain = try DatabaseQueue()
    try plain.inDatabase { try $0.execute(sql: "PRAGMA kdf_iter = 4000") }
  }

  @Test func `C functions in a preparation read the file with the right key`() throws {
    let pragmas = ["PRAGMA kdf_iter = 4000"]
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.usePassphrase(Self.passphrase)
      for pragma in pragmas { sqlite3_exec(db.sqliteConnection, pragma, nil, nil, nil) }
      sqlite3_exec(
        db.sqliteConnection, "CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1)", nil, nil,
        nil)
    }
    for count in 1...3 {
      let pool = try DatabaseQueue(path: path, configuration: configuration)
      try expectRows(pool, count)
      try pool.close()
    }
    try expectRows(DatabaseQueue(path: path, configuration: self.configuration(pragmas)), 3)
  }

  @Test func `a wrong passphrase with pragmas is diagnosed`() throws {
    let queue = try DatabaseQueue(
      path: path, configuration: configuration(["PRAGMA kdf_iter = 4000"]))
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    try queue.close()
    var wrong = Configuration()
    wrong.prepareDatabase { db in
      try db.usePassphrase("wrong")
      try db.execute(sql: "PRAGMA kdf_iter = 4000")
    }
    let error = databaseError { try DatabaseQueue(path: path, configuration: wrong) }
    #expect(error?.cipherDiagnosis == .wrongKey)
  }
}
