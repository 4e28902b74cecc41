import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// Files written by SQLCipher's own shells are opened, and keep their settings.
@Suite struct FixtureOpeningTests {
  struct Fixture: CustomTestStringConvertible, Sendable {
    var name: String
    var key: DatabaseKey?
    var settings: CipherSettings
    var testDescription: String { name }
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }

  static let all: [Fixture] = {
    let passphrase = DatabaseKey.passphrase(Fixtures.passphrase)
    let raw = DatabaseKey(form: .raw, bytes: SecureBytes(copying: bytes(Fixtures.rawKeyHex)))
    let salted = DatabaseKey(form: .rawWithSalt(bytes(Fixtures.saltHex)), bytes: raw.bytes)
    var large3 = CipherSettings.sqlcipher3
    large3.pageSize = 4096
    let large4 = CipherSettings(pageSize: 8192, kdfIterations: 10_000)
    return [
      Fixture(name: "v3-passphrase.db", key: passphrase, settings: .sqlcipher3),
      Fixture(name: "v3-raw-key.db", key: raw, settings: .sqlcipher3),
      Fixture(name: "v3-page-size-4096.db", key: passphrase, settings: large3),
      Fixture(name: "v4-compatibility-3.db", key: passphrase, settings: .sqlcipher3),
      Fixture(name: "plain.db", key: nil, settings: .default),
      Fixture(name: "plain-wal.db", key: nil, settings: .default),
      Fixture(name: "v4-passphrase.db", key: passphrase, settings: .sqlcipher4),
      Fixture(name: "v4-raw-key.db", key: raw, settings: .sqlcipher4),
      Fixture(name: "v4-raw-key.db", key: raw, settings: .sqlcipher4),
      Fixture(name: "v4-raw-key-salt.db", key: salted, settings: .sqlcipher4),
      Fixture(
        name: "v4-odd-passphrase.db", key: .passphrase(Fixtures.oddPassphrase),
        settings: .sqlcipher4),
      Fixture(name: "v4-page-8192-kdf-10000.db", key: passphrase, settings: large4),
      Fixture(name: "v4-wal.db", key: passphrase, settings: .sqlcipher4),
      Fixture(name: "v4-wal-killed.db", key: passphrase, settings: .sqlcipher4),
    ]
  }()

  static let openable = all.filter {
    SQLCipherGeneration.linked == .four || $0.settings.kdfAlgorithm == .sha1 || $0.key == nil
  }

  @Test(arguments: openable)
  func `a file of SQLCipher's shells opens and has its rows`(fixture: Fixture) throws {
    let path = try Fixtures.temporaryCopy(fixture.name)
    var configuration = Configuration()
    configuration.key = fixture.key
    configuration.cipher = fixture.settings
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT name, price, data FROM items ORDER BY id")
      #expect(rows.count == Fixtures.rowCount)
      for (index, row) in rows.enumerated() {
        #expect(row["name"] == Fixtures.name(ofRow: index + 1))
        #expect(row["price"] == Fixtures.price(ofRow: index + 1))
        #expect(row["data"] == Data(Fixtures.data(ofRow: index + 1)))
      }
      #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == Fixtures.userVersion)
      #expect(try Int.fetchOne(db, sql: "PRAGMA application_id") == Fixtures.applicationID)
      if fixture.key != nil { #expect(try db.checkCipherIntegrity() == []) }
    }
    try queue.write { try $0.execute(sql: "INSERT INTO items (name) VALUES ('another')") }
    try queue.close()
    let again = try DatabaseQueue(path: path, configuration: configuration)
    #expect(try again.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM items") } == 101)
  }

  @Test(.enabled(if: SQLCipherGeneration.linked == .three, "SQLCipher 3 alone can't open them"))
  func `a newer file asks for the newer library`() throws {
    for fixture in Self.all where fixture.key != nil && fixture.settings.kdfAlgorithm == .sha512 {
      var configuration = Configuration()
      configuration.key = fixture.key
      configuration.cipher = fixture.settings
      let path = try Fixtures.temporaryCopy(fixture.name)
      let error = #expect(throws: DatabaseError.self) {
        _ = try DatabaseQueue(path: path, configuration: configuration)
      }
      #expect("\(error as Any)".contains("4"), "\(fixture.name)")
    }
  }
}
