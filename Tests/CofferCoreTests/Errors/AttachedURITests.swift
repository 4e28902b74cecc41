import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferSQLite

/// URIs as names of files in `ATTACH` and `VACUUM INTO`.
@Suite struct AttachedURITests {
  private static let secret = "67656865696d"

  /// Every way to give this name.
  private static func forms(_ uri: String) -> [(String, StatementArguments)] {
    let hex = uri.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return [
      ("ATTACH '\(uri)' AS y", []), ("ATTACH DATABASE \"\(uri)\" AS y KEY ''", []),
      ("ATTACH [\(uri)] AS y KEY ?", ["other"]), ("-- c\nATTACH x'\(hex)' AS y KEY ?", [nil]),
      ("ATTACH ? AS y KEY ?", [uri, "other"]), ("ATTACH :uri AS y KEY ''", ["uri": uri]),
      ("ATTACH ? AS y KEY ''", [Data(uri.utf8)]), ("ATTACH ? AS y KEY ''", [uri + "\0.db"]),
      ("ATTACH '\(uri.prefix(7))' || '\(uri.dropFirst(7))' AS y KEY ''", []),
      ("ATTACH ? || ? AS y KEY ''", [String(uri.prefix(3)), String(uri.dropFirst(3))]),
      ("; attach database '\(uri)#fragment' as y key ?", ["other"]),
    ]
  }

  private static let parameters = [
    "cache=shared", "cache=private", "c%61che=shared", "mode=rwc&cache=shared", "CACHE=shared",
    "key=\(secret)", "hexkey=\(secret)", "mode=ro&k%65y=\(secret)", "textkey=\(secret)",
    "key%00x=\(secret)",
  ]

  @Test(arguments: parameters)
  func `a URI with a key or a shared cache isn't attached`(parameter: String) throws {
    let folder = try TemporaryDirectory()
    let plain = try DatabaseQueue(path: folder.path("plain"))
    let keyed = try DatabaseQueue(path: folder.path("keyed"), key: .seeded())
    for queue in [plain, keyed] {
      try queue.inDatabase { db throws in
        for (sql, arguments) in Self.forms("file:\(folder.path("x"))?\(parameter)") {
          let error = databaseError { try db.execute(sql: sql, arguments: arguments) }
          #expect(error?.resultCode == .SQLITE_AUTH, "\(sql): \(error as Any)")
          #expect(error?.hint?.contains("db.attach") == true)
          #expect(!"\(error as Any) \(String(reflecting: error))".contains(Self.secret))
        }
        #expect(try Row.fetchAll(db, sql: "PRAGMA database_list").count == 1)
      }
    }
    #expect(try directoryHasNo("x", folder))
  }

  private func directoryHasNo(_ name: String, _ folder: TemporaryDirectory) throws -> Bool {
    try !folder.contents().contains { $0.hasPrefix(name) }
  }

  @Test(arguments: ["cache=shared", "key=\(secret)"])
  func `a plaintext database isn't copied to a URI with a key or a shared cache`(
    parameter: String
  ) throws {
    let folder = try TemporaryDirectory()
    let uri = "file:\(folder.path("x"))?\(parameter)"
    try DatabaseQueue(path: folder.path("plain")).inDatabase { db throws in
      for (sql, arguments) in [
        ("VACUUM INTO '\(uri)'", []), ("VACUUM main INTO ?", [uri]),
      ] as [(String, StatementArguments)] {
        // Old versions know no INTO.
        #expect(databaseError { try db.execute(sql: sql, arguments: arguments) } != nil)
      }
    }
    #expect(try directoryHasNo("x", folder))
  }

  @Test func `a statement is refused each time that its arguments make such a URI`() throws {
    let folder = try TemporaryDirectory()
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.makeStatement(sql: "ATTACH ? AS y")
      func attach(_ name: String) throws { try statement.execute(arguments: [name]) }
      try attach(folder.path("x"))
      try db.execute(sql: "DETACH y")
      let shared = "file:\(folder.path("x"))?cache=shared"
      #expect(databaseError { try attach(shared) }?.resultCode == .SQLITE_AUTH)
      let values = databaseError { try statement.execute(values: shared) }
      #expect(values?.resultCode == .SQLITE_AUTH)
      statement.setUncheckedArguments([shared])
      #expect(databaseError { try statement.execute() }?.resultCode == .SQLITE_AUTH)
      try attach(folder.path("x"))
    }
  }

  @Test func `other URIs and names are attached as before`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("x")
    var names: [(String, StatementArguments)] = [
      ("ATTACH ? AS y", [path]), ("ATTACH ? || ? AS y", [path, ".db"]),
      ("ATTACH '\(path)?cache=shared' AS y", []), ("ATTACH ':memory:' AS y", []),
      ("ATTACH NULL AS y", []),
    ]
    if SQLCipherGeneration.linked >= .four {
      names += [
        ("ATTACH 'file:\(path)?mode=rwc' AS y", []),
        ("ATTACH 'file:\(path)#?cache=shared' AS y", []),
        ("ATTACH 'file:\(path)?mode=rwc&x=cache&y=key' AS y", []),
      ]
    }
    try DatabaseQueue().inDatabase { db throws in
      for (sql, arguments) in names {
        try db.execute(sql: sql, arguments: arguments)
        try db.execute(sql: "DETACH y")
      }
    }
  }

  @Test(.enabled(if: SQLCipherGeneration.linked >= .four, "SQLCipher 3 reads no URIs here"))
  func `a name that SQL computes isn't attached`() throws {
    try DatabaseQueue().inDatabase { db throws in
      for sql in [
        "ATTACH replace('xile:y?cache=shared', 'x', 'f') AS y", "ATTACH ('x') AS y KEY ''",
        "ATTACH CAST('x' AS TEXT) AS y KEY '\(Self.secret)'", "VACUUM INTO lower('X')",
      ] {
        let error = databaseError { try db.execute(sql: sql) }
        #expect(error?.resultCode == .SQLITE_AUTH, "\(sql): \(error as Any)")
        #expect(!"\(error as Any)".contains(Self.secret))
      }
    }
  }

  @Test func `parameters are found as SQLite finds them`() {
    func found(_ name: String) -> Set<String> {
      WrittenFileName.uriParameters(of: Array(name.utf8))
    }
    #expect(found("file:x?a=1&B=2&%63=3&d") == ["a", "b", "c", "d"])
    #expect(found("file:x%3Fa=1") == [])
    #expect(found("file:x?a%00b=1&c%zz=%26d=2") == ["a", "c%zz"])
    #expect(found("file:x?a=1#&b=2") == ["a"])
    #expect(found("file:x?a=1\0&b=2") == ["a"])
    #expect(found("FILE:x?a=1") == [] && found("x?a=1") == [] && found("file:") == [])
  }

  // MARK: Traces

  @Test func `a trace shows no URI's key after a comment`() throws {
    let folder = try TemporaryDirectory()
    var seen = ""
    func trace(_ body: (Database) throws -> Void) throws {
      try DatabaseQueue().inDatabase { db in
        db.trace(options: [.statement, .profile]) { event in
          seen += "\(event) \(event.expandedDescription)\n"
        }
        try body(db)
        db.trace()
      }
    }
    try trace { db in
      let connection = try db.openConnection()
      let uri = "file:\(folder.path("x"))?key=\(Self.secret)"
      for sql in [
        "-- archive\nATTACH '\(uri)' AS y", "--\n--\n/**/ATTACH DATABASE '\(uri)' AS z",
        "-- archive\nVACUUM INTO '\(uri)2'",
      ] {
        // Below Coffer, which refuses them.
        _ = SQLite.run(connection, sql)
      }
    }
    try trace { db in
      try db.execute(
        sql: """
          CREATE TABLE t (a);
          CREATE TRIGGER noted AFTER INSERT ON t BEGIN SELECT 1; END;
          -- not a trigger
          INSERT INTO t VALUES (1);
          """)
    }
    #expect(!seen.contains(Self.secret), "\(seen)")
    if SQLCipherGeneration.linked >= .four { #expect(seen.contains("ATTACH …(redacted)")) }
    #expect(seen.contains("-- TRIGGER noted"))
    #expect(seen.contains("INSERT INTO t VALUES (1)"))
  }

  // MARK: Errors

  @Test(arguments: [
    "ATTACH 'file:x?key=\(secret) AS y", "ATTACH \"file:x?key=\(secret) AS y",
    "ATTACH 'x' AS y KEY '\(secret)", "VACUUM INTO 'file:x?key=\(secret)",
    "SELECT 1\0; PRAGMA key='\(secret)'", "SELECT (\0 ATTACH 'x' AS y KEY '\(secret)'",
    "] ATTACH 'file:x?key=\(secret)' AS y",
  ])
  func `text that SQLite can't read shows no key`(sql: String) throws {
    try DatabaseQueue().inDatabase { db throws in
      let error = try #require(databaseError { try db.execute(sql: sql) })
      let text = "\(error) \(String(reflecting: error)) \(error.message ?? "") \(error.sql ?? "")"
      #expect(!text.contains(Self.secret), "\(text)")
      #expect(!error.expandedDescription.contains(Self.secret))
    }
  }
}
