import CSQLCipher
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

/// Whether Coffer's provider is to be at work in this process.
private let isExpected =
  SQLCipherGeneration.linked == .four
  && ["", "0"].contains(ProcessInfo.processInfo.environment["COFFER_STOCK_CIPHER"] ?? "")

struct CipherProviderTests {
  private static let folder = Result { try TemporaryDirectory() }

  static let layouts: [CipherSettings] =
    SQLCipherGeneration.linked == .four
    ? [
      .sqlcipher4, .fast, CipherSettings(pageSize: 8192, hmacAlgorithm: .sha1),
      CipherSettings(pageSize: 1024), CipherSettings(pageSize: 65536),
      CipherSettings(usesHMAC: false), CipherSettings(plaintextHeaderSize: 32),
    ] : [.sqlcipher3]

  private static func configuration(
    _ settings: CipherSettings = .default, stock: Bool = false
  ) throws -> Configuration {
    var configuration = Configuration()
    configuration.cipher = settings
    configuration.usesStockCipherProvider = stock
    configuration.key = try .raw(
      [UInt8](repeating: 0xA7, count: 32), salt: [UInt8](repeating: 0x5C, count: 16))
    return configuration
  }

  private static func path() throws -> String { try folder.get().path(UUID().uuidString) }

  private static func write(_ queue: DatabaseQueue, rows: Int = 300) throws {
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
      for row in 1...rows {
        try db.execute(
          sql: "INSERT INTO t (text) VALUES (?)",
          arguments: [String(repeating: "row \(row) ", count: 20)])
      }
    }
  }

  private static func expectRows(_ queue: DatabaseQueue, count: Int = 300) throws {
    try queue.read { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE text LIKE 'row%'") == count)
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
      guard db.configuration.cipher.usesHMAC else { return }
      #expect(try db.checkCipherIntegrity().isEmpty)
    }
  }

  // MARK: Which one is at work

  @Test func `the provider is described for the process and for each connection`() throws {
    let expected = isExpected ? "coffer: " : "stock: "
    #expect(Database.cipherProviderDescription.hasPrefix(expected))
    let queue = try DatabaseQueue(path: Self.path(), configuration: Self.configuration())
    let description = try queue.read(\.cipherProviderDescription)
    #expect(description.hasPrefix(expected))
    let stock = try DatabaseQueue(
      path: Self.path(), configuration: Self.configuration(stock: true))
    let stockDescription = try stock.read(\.cipherProviderDescription)
    #expect(stockDescription.hasPrefix("stock: "))
    let plainDescription = try DatabaseQueue().read(\.cipherProviderDescription)
    #expect(plainDescription == "none: no key")
  }

  @Test(arguments: ["1", "yes"])
  func `the environment turns it off`(_ value: String) throws {
    let child = try TestProcess(["provider"], environment: ["COFFER_STOCK_CIPHER": value])
    #expect(child.readLine()?.hasPrefix("stock: ") == true)
  }

  @Test(arguments: ["", "0"])
  func `an empty variable or 0 leaves it on`(_ value: String) throws {
    let child = try TestProcess(["provider"], environment: ["COFFER_STOCK_CIPHER": value])
    let prefix = SQLCipherGeneration.linked == .four ? "coffer: " : "stock: "
    #expect(child.readLine()?.hasPrefix(prefix) == true)
  }

  @Test func `what is known of a version's table follows from its number`() {
    let expected: [(String, SQLCipherLibrary.Knowledge?)] = [
      ("4.4.0 community", .known(.copied)), ("4.6.1 community", .known(.copied)),
      ("4.6.10", .known(.copied)), ("4.7.0 community", .known(.listed)),
      ("4.19.0 community", .known(.listed)), ("4.20.0 community", .newer), ("5.0.0", .newer),
      ("4.3.0 community", .known(.tailed)), ("4.2.0 community", .older),
      ("3.4.2", .older), ("3.4.1", .older),
      ("", nil), ("4.6", nil), ("4.6.1.2", nil), ("4.x.1", nil), ("community", nil),
    ]
    for (version, knowledge) in expected {
      #expect(SQLCipherLibrary.knowledge(ofVersion: version) == knowledge, "\(version)")
    }
  }

  @Test func `SQLCipher's pragmas show the same provider with both`() throws {
    func shown(stock: Bool) throws -> [String?] {
      let queue = try DatabaseQueue(
        path: Self.path(), configuration: Self.configuration(stock: stock))
      return try queue.read { db in
        try ["cipher_provider", "cipher_provider_version", "cipher", "cipher_fips_status"].map {
          try String.fetchOne(db, sql: "PRAGMA \($0)")
        }
      }
    }
    #expect(try shown(stock: false) == shown(stock: true))
  }

  // MARK: The same files

  @Test(arguments: layouts)
  func `each provider reads and changes what the other has written`(
    _ settings: CipherSettings
  ) throws {
    for stockWrites in [true, false] {
      let path = try Self.path()
      let writer = try DatabaseQueue(
        path: path, configuration: Self.configuration(settings, stock: stockWrites))
      try Self.write(writer)
      try writer.close()
      let reader = try DatabaseQueue(
        path: path, configuration: Self.configuration(settings, stock: !stockWrites))
      try Self.expectRows(reader)
      try reader.write { try $0.execute(sql: "DELETE FROM t WHERE id % 3 = 0") }
      try reader.close()
      let third = try DatabaseQueue(
        path: path, configuration: Self.configuration(settings, stock: stockWrites))
      try Self.expectRows(third, count: 200)
    }
  }

  @Test(arguments: layouts.filter(\.usesHMAC))
  func `a changed byte is refused`(_ settings: CipherSettings) throws {
    let path = try Self.path()
    let writer = try DatabaseQueue(path: path, configuration: Self.configuration(settings))
    try Self.write(writer)
    try writer.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let offset = bytes.count / 2 / settings.pageSize * settings.pageSize + 100
    bytes[offset] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    let queue = try DatabaseQueue(path: path, configuration: Self.configuration(settings))
    let error = #expect(throws: DatabaseError.self) {
      try queue.read { try String.fetchAll($0, sql: "SELECT text FROM t") }
    }
    #expect([.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error?.resultCode))
  }

  @Test func `another key is refused, and the right one works afterwards`() throws {
    let path = try Self.path()
    let writer = try DatabaseQueue(path: path, configuration: Self.configuration())
    try Self.write(writer)
    try writer.close()
    var wrong = try Self.configuration()
    wrong.key = .seeded()
    #expect(throws: DatabaseError.self) { try DatabaseQueue(path: path, configuration: wrong) }
    try Self.expectRows(DatabaseQueue(path: path, configuration: Self.configuration()))
  }

  @Test(arguments: [true, false])
  func `a changed key opens the file with both providers, and the old one with neither`(
    _ stock: Bool
  ) throws {
    let path = try Self.path()
    let key = DatabaseKey.seeded()
    let queue = try DatabaseQueue(path: path, configuration: Self.configuration(stock: stock))
    try Self.write(queue)
    try queue.changeKey(to: key)
    try Self.expectRows(queue)
    try queue.close()
    for readsStock in [true, false] {
      var configuration = try Self.configuration(stock: readsStock)
      #expect(throws: DatabaseError.self) {
        try DatabaseQueue(path: path, configuration: configuration)
      }
      configuration.key = key
      try Self.expectRows(DatabaseQueue(path: path, configuration: configuration))
    }
  }

  @Test func `an attached file has another key`() throws {
    let paths = try [Self.path(), Self.path()]
    let other = DatabaseKey.seeded()
    let queue = try DatabaseQueue(path: paths[0], configuration: Self.configuration())
    try queue.inDatabase { db in
      try db.attach(paths[1], as: "other", key: other)
      try db.execute(sql: "CREATE TABLE t (a); CREATE TABLE other.t (a)")
      for _ in 0..<20 {
        try db.execute(sql: "INSERT INTO main.t VALUES (1); INSERT INTO other.t VALUES (2)")
      }
      try db.detach("other")
    }
    try queue.vacuum()
    let sum = try queue.read { try Int.fetchOne($0, sql: "SELECT sum(a) FROM t") }
    #expect(sum == 20)
    var configuration = try Self.configuration(stock: true)
    configuration.key = other
    let second = try DatabaseQueue(path: paths[1], configuration: configuration)
    let otherSum = try second.read { try Int.fetchOne($0, sql: "SELECT sum(a) FROM t") }
    #expect(otherSum == 40)
  }

  // MARK: Other users of SQLCipher, and threads

  @Test func `a connection of the C API is served while Coffer's come and go`() throws {
    let path = try Self.path()
    var handle: OpaquePointer?
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    #expect(sqlite3_key(handle, "secret", 6) == SQLITE_OK)
    for number in 0..<3 {
      let queue = try DatabaseQueue(
        path: Self.path(), configuration: Self.configuration(stock: number == 1))
      try Self.write(queue, rows: 2)
      try queue.close()
      #expect(
        sqlite3_exec(handle, "CREATE TABLE t\(number) (a); SELECT * FROM t\(number)", nil, nil, nil)
          == SQLITE_OK)
    }
  }

  @Test func `connections of both kinds open at once`() async throws {
    let path = try Self.path()
    try Self.write(DatabaseQueue(path: path, configuration: Self.configuration()))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<24 {
        group.addTask {
          let isStock = number % 2 == 0
          let queue = try DatabaseQueue(
            path: path, configuration: Self.configuration(stock: isStock))
          let description = try await queue.read(\.cipherProviderDescription)
          #expect(description.hasPrefix(isExpected && !isStock ? "coffer" : "stock"))
          try Self.expectRows(queue)
          try queue.close()
        }
      }
      try await group.waitForAll()
    }
  }
}

/// Tests of the provider itself, without a file.
@Suite(.enabled(if: SQLCipherGeneration.linked == .four, "SQLCipher 3 has another table"))
struct KeptProviderTests {
  private let stock: SQLCipherProvider
  private let kept: SQLCipherProvider
  // SQLCipher frees the mutexes of its functions with the last keyed connection.
  private let queue: DatabaseQueue

  init() throws {
    queue = try DatabaseQueue(path: ":memory:", key: .seeded())
    stock = try #require(SQLCipherLibrary.stockProvider)
    kept = try #require(KeptProvider.provider)
  }

  @Test func `its results are SQLCipher's`() {
    for provider in [kept, stock] {
      let holds = ProviderProof.holds(for: provider, beside: stock)
      #expect(holds)
    }
  }

  @Test func `a provider with another result is not taken`() {
    typealias Change = (inout SQLCipherProvider) -> Void
    let faults: [Change] = [
      { provider in
        provider.hmac = { _, _, _, _, _, _, _, _, output in
          output?.pointee = 1
          return SQLITE_OK
        }
      },
      { $0.hmac = { _, _, _, _, _, _, _, _, _ in SQLITE_ERROR } },
      { $0.cipher = { _, _, _, _, _, _, _, _ in SQLITE_OK } },
      { $0.cipher = { _, _, _, _, _, _, _, _ in SQLITE_ERROR } },
      { $0.deriveKey = { _, _, _, _, _, _, _, _, _ in SQLITE_OK } },
      { $0.keySize = { _ in 16 } },
      { $0.ivSize = { _ in 12 } },
      { $0.hmacSize = { _, _ in 64 } },
      { $0.name = { _ in nil } },
      { $0.makeContext = { _ in SQLITE_NOMEM } },
    ]
    for (number, change) in faults.enumerated() {
      var faulty = kept
      change(&faulty)
      let holds = ProviderProof.holds(for: faulty, beside: stock)
      #expect(!holds, "fault \(number)")
    }
  }

  @Test func `a provider that crashes or hangs in a copy of the process is not taken`() {
    let ends: [(name: String, change: (inout SQLCipherProvider) -> Void)] = [
      ("abort", { $0.cipher = { _, _, _, _, _, _, _, _ in abort() } }),
      ("fault", { $0.hmacSize = { _, _ in kill(getpid(), SIGSEGV) } }),
      ("exit", { $0.deriveKey = { _, _, _, _, _, _, _, _, _ in _exit(0) } }),
      ("hang", { $0.keySize = { _ in pause() } }),
      ("result", { $0.ivSize = { _ in 12 } }),
    ]
    for (name, change) in ends {
      var faulty = kept
      change(&faulty)
      let holds = ProviderProof.holdsInChild(for: faulty, beside: stock, milliseconds: 500)
      #expect(!holds, "\(name)")
    }
    // Other tests may leave little time to the copy.
    let holds = ProviderProof.holdsInChild(for: kept, beside: stock, milliseconds: 60_000)
    #expect(holds)
  }

  @Test func `a provider that ignores a new key is not taken`() {
    var faulty = kept
    faulty.cipher = { context, mode, _, keySize, iv, input, count, output in
      let key = [UInt8](repeating: 7, count: 32)
      return KeptProvider.provider!.cipher(
        context, mode, key, keySize, iv, input, count, output)
    }
    let holds = ProviderProof.holds(for: faulty, beside: stock)
    #expect(!holds)
  }

  @Test func `a context holds one page key and one HMAC key, and none of the last ones`() throws {
    var context: UnsafeMutableRawPointer?
    try #require(kept.makeContext(&context) == SQLITE_OK)
    defer { _ = kept.freeContext(&context) }
    let memory = try #require(context)
    var generator = SeededGenerator()
    let keys = (0..<4).map { _ in generator.bytes(32) }
    func holds(_ key: [UInt8]) -> Bool {
      let bytes = UnsafeRawBufferPointer(
        start: memory, count: MemoryLayout<CipherContext>.size)
      return (0...(bytes.count - 32)).contains { bytes[$0..<($0 + 32)].elementsEqual(key) }
    }
    let page = [UInt8](repeating: 1, count: 4016)
    let iv = [UInt8](repeating: 2, count: 16)
    var output = [UInt8](repeating: 0, count: 4016)
    #expect(kept.cipher(context, 1, keys[0], 32, iv, page, 4016, &output) == SQLITE_OK)
    #expect(kept.hmac(context, 2, keys[1], 32, page, 4016, nil, 0, &output) == SQLITE_OK)
    #expect(holds(keys[0]) && holds(keys[1]))
    #expect(kept.cipher(context, 0, keys[2], 32, iv, page, 4016, &output) == SQLITE_OK)
    #expect(kept.hmac(context, 2, keys[3], 32, page, 4016, nil, 0, &output) == SQLITE_OK)
    #expect(!holds(keys[0]) && !holds(keys[1]))
    #expect(holds(keys[2]) && holds(keys[3]))
  }

  @Test func `what it doesn't know has SQLCipher's result`() throws {
    var contexts: (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?)
    try #require(kept.makeContext(&contexts.0) == SQLITE_OK)
    defer { _ = kept.freeContext(&contexts.0) }
    try #require(stock.makeContext(&contexts.1) == SQLITE_OK)
    defer { _ = stock.freeContext(&contexts.1) }
    let key = [UInt8](repeating: 3, count: 64)
    let input = [UInt8](repeating: 4, count: 64)
    for (algorithm, keySize, count) in [(2, 64, 64), (1, 16, 10), (0, 32, 0), (9, 32, 64)] {
      func result(
        _ provider: SQLCipherProvider, _ context: UnsafeMutableRawPointer?
      ) -> (CInt, [UInt8]) {
        var output = [UInt8](repeating: 0, count: 64)
        let code = provider.hmac(
          context, CInt(algorithm), key, CInt(keySize), input, CInt(count), nil, 0, &output)
        return (code, output)
      }
      #expect(result(kept, contexts.0) == result(stock, contexts.1), "\(algorithm) \(keySize)")
    }
    var output = [UInt8](repeating: 0, count: 64)
    #expect(kept.hmac(contexts.0, 2, key, 32, nil, 0, nil, 0, &output) != SQLITE_OK)
  }
}
