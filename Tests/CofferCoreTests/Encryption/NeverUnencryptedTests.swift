import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// With a key, nothing is ever written without encryption.
@Suite struct NeverUnencryptedTests {
  private static let plainSQLite: String? = ["/usr/lib", "/lib"].flatMap { folder in
    ["x86_64-linux-gnu", "aarch64-linux-gnu"].map { "\(folder)/\($0)/libsqlite3.so.0" }
  }.first { FileManager.default.fileExists(atPath: $0) }

  @Test(.enabled(if: plainSQLite != nil, "needs libsqlite3.so.0"))
  func `another SQLite in the process is noticed before anything is written`() throws {
    let library = try #require(Self.plainSQLite)
    let folder = try TemporaryDirectory()
    let (status, lines, error) = try TestProcess.run(
      ["open", folder.path("db"), "secret passphrase"], environment: ["LD_PRELOAD": library])
    #expect(status == 1)
    #expect(lines == [])
    #expect(error.contains("the SQLite library in use is not SQLCipher"))
    #expect(error.contains("Link libsqlcipher first"))
    #expect(!error.contains("secret passphrase"))
    for name in try folder.contents() {
      #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path(name))).isEmpty)
    }
    // The control: the same library serves a database without a key.
    let plain = try TestProcess.run(
      ["open", folder.path("plain"), "-"], environment: ["LD_PRELOAD": library])
    #expect(plain.lines == ["opened 0", "written"])
  }

  @Test func `a new file is encrypted as soon as it is open`() throws {
    let folder = try TemporaryDirectory()
    for mode in [Configuration.JournalModeConfiguration.default, .wal] {
      let path = folder.path("\(mode)")
      var configuration = Configuration()
      configuration.journalMode = mode
      let queue = try DatabaseQueue(path: path, key: .seeded(), configuration: configuration)
      let start = try ReadOnlyFile(path: path).read(count: 512, at: 0)
      #expect(start.count == 512)
      #expect(!start.starts(with: Array("SQLite format 3\0".utf8)))
      guard case .encryptedOrUnknown = DatabaseFile.inspect(at: path).kind else {
        Issue.record("\(DatabaseFile.inspect(at: path))")
        continue
      }
      try queue.close()
    }
  }

  @Test(arguments: ["FILE", "1", "file"])
  func `a preparation can't move temporary data to files`(value: String) throws {
    let folder = try TemporaryDirectory()
    var configuration = Configuration()
    configuration.key = .seeded()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA temp_store = \(value)") }
    let error = #expect(throws: DatabaseError.self) {
      _ = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    }
    #expect("\(error as Any)".contains("temp"))
  }

  @Test(arguments: ["FILE", "0", "DEFAULT"])
  func `a preparation can't move temporary data to files before the passphrase either`(
    value: String
  ) throws {
    let folder = try TemporaryDirectory()
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA temp_store = \(value)")
      try db.usePassphrase("secret")
    }
    let error = #expect(throws: DatabaseError.self) {
      _ = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    }
    #expect("\(error as Any)".contains("temp_store must be MEMORY"))
    #expect(DatabaseFile.inspect(at: folder.path("db")).size == 0)
  }

  @Test func `what is written before the key doesn't make a plaintext file`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      try db.execute(sql: "CREATE TABLE t (a)")
      try db.execute(sql: "INSERT INTO t VALUES ('readable text')")
      try db.usePassphrase("secret")
    }
    #expect(throws: DatabaseError.self) {
      _ = try DatabaseQueue(path: path, configuration: configuration)
    }
  }
}
