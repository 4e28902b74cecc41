import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

@Suite(.serialized) struct CipherFactsTests {
  @Test func `a connection tells what encrypts it`() throws {
    try EncryptedQueue.with { db throws in
      #expect(try db.cipherVersion == Database.engine.cipherVersion)
      #expect(try db.cipherProvider?.isEmpty == false)
      #expect(try db.cipherProviderVersion?.isEmpty == false)
      if SQLiteFeatures.linked.logsToStandardError { #expect(try db.cipherFipsStatus == "0") }
    }
    try DatabaseQueue().inDatabase { db throws in
      #expect(try db.cipherVersion == Database.engine.cipherVersion)
      #expect(try db.cipherProvider == nil)
      #expect(try db.cipherProviderVersion == nil)
      #expect(try db.cipherFipsStatus == nil)
    }
  }

  @Test func `SQLCipher's log goes to a file until it is ended`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("it's a log")
    func log() -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    try EncryptedQueue.with { db throws in
      guard SQLiteFeatures.linked.logsToStandardError else {
        let error = databaseError { try db.enableCipherLogging() }
        #expect(error?.message == "SQLCipher's log needs SQLite 3.20 or later")
        return
      }
      let crashes = try Database.Engine.crashesInTrace(db.cipherVersion)
      if crashes {
        let error = databaseError { try db.enableCipherLogging(logLevel: .trace) }
        #expect(error?.message == "SQLCipher 4.19 crashes when it logs each step")
      }
      try db.enableCipherLogging(logLevel: crashes ? .debug : .trace, target: .file(path))
      defer { try? db.disableCipherLogging() }
      // Further connections go on with it.
      try EncryptedQueue.with { try $0.execute(sql: "CREATE TABLE t(a)") }
      let begun = log()
      #expect(!begun.isEmpty)
      try EncryptedQueue.with { try $0.execute(sql: "CREATE TABLE t(a)") }
      #expect(log().count > begun.count)
      try db.disableCipherLogging()
      let ended = log()
      try EncryptedQueue.with { try $0.execute(sql: "CREATE TABLE t(a)") }
      #expect(log() == ended)
    }
  }
}
