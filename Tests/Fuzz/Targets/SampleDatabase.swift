#if DEBUG || COFFER_FUZZ
  @testable import CofferCore
  @testable import CofferVault
  import Foundation

  /// A small encrypted database with what b-trees can have: overflow pages, free pages, an index, a
  /// table without rowids.
  struct SampleDatabase {
    static let rawKey = [UInt8](0xC0..<0xE0)
    static let salt = [UInt8](0xA0..<0xB0)

    static var settings: CipherSettings {
      var settings = CipherSettings.default
      settings.pageSize = 1024
      return settings
    }

    static func key() throws -> DatabaseKey { try .raw(rawKey, salt: salt) }

    static var derived: DerivedKey {
      DerivedKey(key: SecureBytes(copying: rawKey), salt: salt)
    }

    static func configuration() throws -> Configuration {
      var configuration = Configuration()
      configuration.key = try key()
      configuration.cipher = settings
      configuration.busyMode = .immediateError
      return configuration
    }

    static let schema = """
      CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT UNIQUE, body TEXT, stars REAL, data BLOB);
      CREATE TABLE keyed (number INTEGER, word TEXT, PRIMARY KEY (word, number)) WITHOUT ROWID;
      CREATE VIEW good AS SELECT * FROM note WHERE stars > 2;
      CREATE TRIGGER gone AFTER DELETE ON note BEGIN DELETE FROM keyed WHERE number = old.id; END;
      """

    static let rows = """
      WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 24)
        INSERT INTO note SELECT x, 'note ' || x, hex(zeroblob(x * 2)), x / 4.0, zeroblob(x * 3) FROM c;
      INSERT INTO note (title, body) VALUES ('long', hex(zeroblob(1700)));
      INSERT INTO keyed SELECT id, title FROM note;
      UPDATE note SET body = hex(zeroblob(900)) WHERE id = 7;
      """

    /// The bytes of the file.
    let file: [UInt8]
    /// Its pages, decrypted, one after another.
    let pages: [UInt8]

    /// - Parameter pragmas: What is set before the first table.
    init(_ files: ScratchFolder, _ pragmas: String = "") throws {
      let name = "sample.db"
      files.remove(name)
      let queue = try DatabaseQueue(
        path: files.path(name), configuration: Self.configuration())
      try queue.inDatabase { db in
        try db.execute(sql: pragmas + Self.schema + Self.rows)
        try db.execute(sql: "DELETE FROM note WHERE id IN (3, 7, 8)")
      }
      try queue.close()
      file = try files.read(name)
      var decrypted: [UInt8] = []
      let forge = try PageForge(Self.settings)
      guard
        let cipher = try CipherFile(
          path: files.path(name), key: Self.derived, settings: Self.settings)
      else { throw Finding("there is no libcrypto") }
      for number in 1...(file.count / forge.pageSize) {
        var page = Array(file[((number - 1) * forge.pageSize)..<(number * forge.pageSize)])
        let isRead = page.withUnsafeMutableBytes {
          cipher.decrypt($0, number: number, isAuthenticated: true)
        }
        try expect(isRead, "page \(number) of the sample isn't authentic")
        decrypted += page
      }
      pages = decrypted
      files.remove(name)
    }
  }

  /// Encrypts and authenticates pages as SQLCipher does, whatever is in them.
  struct PageForge {
    let settings: CipherSettings
    let crypto: LibCrypto
    private let functions: PageCrypto
    private let key = SampleDatabase.derived
    private let hmacKey: SecureBytes

    var pageSize: Int { settings.pageSize }

    init(_ settings: CipherSettings) throws {
      guard let crypto = LibCrypto.shared, let functions = PageCrypto(),
        let hmacKey = SampleDatabase.derived.hmacKey(settings, crypto: crypto)
      else { throw Finding("there is no libcrypto") }
      self.settings = settings
      self.crypto = crypto
      self.functions = functions
      self.hmacKey = hmacKey
    }

    /// Returns the file with these pages; the last one is filled up with zeros.
    func file(_ plaintext: [UInt8]) throws -> [UInt8] {
      var result: [UInt8] = []
      let count = (plaintext.count + pageSize - 1) / pageSize
      result.reserveCapacity(count * pageSize)
      for number in 0..<count {
        var page = Array(plaintext[(number * pageSize)...].prefix(pageSize))
        page += [UInt8](repeating: 0, count: pageSize - page.count)
        result += try encrypted(page, number: number + 1)
      }
      return result
    }

    private func encrypted(_ page: [UInt8], number: Int) throws -> [UInt8] {
      let start = number == 1 ? 16 : 0
      let end = pageSize - settings.reservedSize
      // Any IV will do.
      let iv = (0..<16).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0 &* 7) }
      var result = number == 1 ? SampleDatabase.salt : []
      result += try encrypt(Array(page[start..<end]), iv)
      result += iv
      let message = result[start...] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      var code = [UInt8](repeating: 0, count: 64)
      let isDone = code.withUnsafeMutableBytes { code in
        Array(message).withUnsafeBytes {
          crypto.hmac(settings.hmacAlgorithm, key: hmacKey, message: $0, into: code)
        }
      }
      guard isDone else { throw Finding("libcrypto has failed") }
      result += code[..<settings.hmacSize]
      return result + [UInt8](repeating: 0, count: pageSize - result.count)
    }

    private func encrypt(_ bytes: [UInt8], _ iv: [UInt8]) throws -> [UInt8] {
      guard let context = functions.makeCipher() else { throw Finding("libcrypto has failed") }
      defer { functions.freeCipher(context) }
      var result = [UInt8](repeating: 0, count: bytes.count + 16)
      var count: CInt = 0
      let code = SampleDatabase.rawKey.withUnsafeBufferPointer { key in
        functions.startCipher(
          context, functions.aes256CBC(), nil, key.baseAddress, iv, 1)
          & functions.setPadding(context, 0)
          & functions.updateCipher(context, &result, &count, bytes, CInt(bytes.count))
      }
      guard code == 1, Int(count) == bytes.count else { throw Finding("libcrypto has failed") }
      return Array(result[..<bytes.count])
    }
  }
#endif
