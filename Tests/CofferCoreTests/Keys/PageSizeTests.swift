import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// `PRAGMA page_size`, which SQLCipher 4 takes for `cipher_page_size`.
@Suite struct PageSizeTests {
  @Test(arguments: [Configuration.JournalModeConfiguration.wal, .delete])
  func `a transaction that sets the page size loses nothing`(
    mode: Configuration.JournalModeConfiguration
  ) throws {
    let file = try EncryptedQueue("CREATE TABLE t (a); INSERT INTO t VALUES (1)") {
      $0.journalMode = mode
    }
    try file.queue.write { db in
      try db.execute(sql: "INSERT INTO t VALUES (2)")
      let error = databaseError { try db.execute(sql: "PRAGMA page_size = 8192") }
      #expect(error?.resultCode == .SQLITE_AUTH)
      #expect(databaseError { try db.execute(sql: "PRAGMA main.page_size(8192)") } != nil)
      try db.execute(sql: "INSERT INTO t VALUES (3)")
    }
    try file.queue.close()
    let again = try file.other()
    #expect(try again.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1, 2, 3])
    #expect(try again.read { try $0.checkCipherIntegrity() } == [])
  }

  @Test func `a preparation sets the page size of no encrypted file`() throws {
    let folder = try TemporaryDirectory()
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.usePassphrase("secret")
      try db.execute(sql: "PRAGMA page_size = 8192")
    }
    let error = databaseError {
      try DatabaseQueue(path: folder.path("new"), configuration: configuration)
    }
    #expect(error?.message?.contains("PRAGMA page_size is refused") == true)
  }

  @Test func `a page size before the key changes nothing`() throws {
    let folder = try TemporaryDirectory()
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA page_size = 8192")
      try db.usePassphrase("secret")
    }
    let path = folder.path("new")
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    try queue.close()
    let again = try DatabaseQueue(path: path, key: .passphrase("secret"))
    #expect(try again.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 1)
  }

  @Test func `an attached encrypted file keeps its page size`() throws {
    let file = try EncryptedQueue("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    try file.queue.close()
    let folder = try TemporaryDirectory()
    let plain = try DatabaseQueue(path: folder.path("plain"))
    try plain.inDatabase { db throws in
      try db.attach(file.path, as: "y", key: .raw(EncryptedQueue.rawKey))
      try db.execute(sql: "BEGIN; INSERT INTO y.t VALUES (2)")
      for sql in [
        "PRAGMA y.page_size = 8192", "PRAGMA [Y].\"Page_Size\"(8192)", "PRAGMA 'y'.page_size=512",
        "EXPLAIN PRAGMA y.page_size = 8192",
      ] {
        #expect(databaseError { try db.execute(sql: sql) }?.resultCode == .SQLITE_AUTH, "\(sql)")
      }
      // The function only reads.
      if SQLiteFeatures.linked.version >= 3_020_000 {
        #expect(
          databaseError { _ = try Row.fetchAll(db, sql: "SELECT * FROM pragma_page_size(8192)") }
            != nil)
      }
      try db.execute(sql: "INSERT INTO y.t VALUES (3); COMMIT")
    }
    try plain.close()
    let again = try file.other()
    #expect(try again.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1, 2, 3])
    #expect(try again.read { try $0.checkCipherIntegrity() } == [])
  }

  @Test func `plaintext files can change their page size`() throws {
    let file = try EncryptedQueue("CREATE TABLE t (a)")
    try file.queue.close()
    let folder = try TemporaryDirectory()
    let queue = try DatabaseQueue(path: folder.path("plain"))
    try queue.inDatabase { db throws in
      func pageSize(_ schema: String) throws -> Int? {
        try Int.fetchOne(db, sql: "PRAGMA \(schema).page_size")
      }
      try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
      try db.attach(folder.path("other"), as: "other", key: nil)
      try db.execute(sql: "PRAGMA other.page_size = 2048; CREATE TABLE other.u (a)")
      #expect(try pageSize("other") == 2048)
      try db.execute(sql: "PRAGMA page_size = 8192; VACUUM")
      #expect(try pageSize("main") == 8192)
      // Also beside an encrypted file.
      try db.attach(file.path, as: "y", key: .raw(EncryptedQueue.rawKey))
      try db.execute(sql: "PRAGMA main.page_size = 1024; VACUUM")
      #expect(try pageSize("main") == 1024)
      try db.execute(sql: "PRAGMA other.page_size = 4096")
    }
  }
}
