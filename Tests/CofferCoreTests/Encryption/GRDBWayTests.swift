import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// `usePassphrase` in `prepareDatabase` is the same as `Configuration.key`.
@Suite struct GRDBWayTests {
  private func prepared(_ setup: @escaping @Sendable (Database) throws -> Void) -> Configuration {
    var configuration = Configuration()
    configuration.prepareDatabase(setup)
    return configuration
  }

  private func expectRow(_ queue: DatabaseQueue) throws {
    #expect(try queue.read { try String.fetchOne($0, sql: "SELECT a FROM t") } == "row")
    try queue.close()
  }

  @Test func `a passphrase in a preparation creates and opens the same file as a key`() throws {
    let folder = try TemporaryDirectory()
    let preparations: [Configuration] = [
      prepared { try $0.usePassphrase("Geheimnis é") },
      prepared { try $0.usePassphrase(Data("Geheimnis é".utf8)) },
      prepared { db in
        try db.usePassphrase("Geheimnis é")
        try db.execute(sql: "PRAGMA journal_mode = WAL")
      },
    ]
    for (index, configuration) in preparations.enumerated() {
      let path = folder.path("made-by-\(index)")
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      guard case .encryptedOrUnknown = DatabaseFile.inspect(at: path).kind else {
        Issue.record("\(DatabaseFile.inspect(at: path))")
        continue
      }
      try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('row')") }
      if index == 2 {
        let mode = try queue.inDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        #expect(mode == "wal")
      }
      try queue.close()
      try expectRow(DatabaseQueue(path: path, key: .passphrase("Geheimnis é")))
      for other in preparations {
        try expectRow(DatabaseQueue(path: path, configuration: other))
      }
    }
    let path = folder.path("made-by-key")
    let queue = try DatabaseQueue(path: path, key: .passphrase(bytes: Data("Geheimnis é".utf8)))
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('row')") }
    try queue.close()
    for configuration in preparations {
      try expectRow(DatabaseQueue(path: path, configuration: configuration))
    }
  }

  @Test func `a wrong passphrase in a preparation is diagnosed`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    let queue = try DatabaseQueue(path: path, key: .passphrase("right"))
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    try queue.close()
    let error = #expect(throws: DatabaseError.self) {
      _ = try DatabaseQueue(path: path, configuration: prepared { try $0.usePassphrase("wrong") })
    }
    #expect(error?.cipherDiagnosis == .wrongKey)
    // The same error, found by a statement of the preparation.
    let early = #expect(throws: DatabaseError.self) {
      _ = try DatabaseQueue(
        path: path,
        configuration: prepared { db in
          try db.usePassphrase("wrong")
          try db.execute(sql: "PRAGMA journal_mode = WAL")
        })
    }
    #expect(early?.cipherDiagnosis == .wrongKey)
    let keyed = #expect(throws: DatabaseError.self) {
      var configuration = prepared { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (a)") }
      configuration.key = .passphrase("wrong")
      _ = try DatabaseQueue(path: path, configuration: configuration)
    }
    #expect(keyed?.cipherDiagnosis == .wrongKey)
  }

  @Test func `a preparation's own errors stay what they are`() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: TestError.self) {
      _ = try DatabaseQueue(
        path: folder.path("db"),
        configuration: prepared { db in
          try db.usePassphrase("secret")
          throw TestError()
        })
    }
    let error = #expect(throws: DatabaseError.self) {
      _ = try DatabaseQueue(
        path: folder.path("db"),
        configuration: prepared { db in
          try db.usePassphrase("secret")
          try db.execute(sql: "SELECT nothing")
        })
    }
    #expect(error?.resultCode == .SQLITE_ERROR)
    #expect(error?.cipherDiagnosis == nil)
  }

  @Test func `an empty passphrase is refused in a preparation as well`() throws {
    let folder = try TemporaryDirectory()
    for configuration in [
      prepared { try $0.usePassphrase("") }, prepared { try $0.usePassphrase(Data()) },
    ] {
      let error = #expect(throws: DatabaseError.self) {
        _ = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
      }
      #expect("\(error as Any)".contains("passphrase is empty"))
    }
    #expect(DatabaseFile.inspect(at: folder.path("db")).size == 0)
  }
}
