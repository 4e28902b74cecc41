import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferSQLite

/// Values that SQLite quotes in its messages.
@Suite struct QuotedValuesTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var sql: String
    var arguments: StatementArguments
    /// What is left of the message.
    var message: String
    var testDescription: String { sql }
  }

  private static let secret = "Zq7 geheim"

  /// Statements with a secret as an argument, which SQLite 3.46 quotes.
  static let cases = [
    Case(
      sql: "SELECT json_extract('{}', ?)", arguments: [secret],
      message: "bad JSON path: …(redacted)"),
    Case(
      sql: "SELECT json_set('{}', 'x' || ?, 1)", arguments: [secret],
      message: "bad JSON path: …(redacted)"),
    Case(
      sql: "SELECT count(*) FROM words WHERE words MATCH ?", arguments: ["\(secret) ("],
      message: "fts5: syntax error near …(redacted)"),
    Case(
      sql: "SELECT count(*) FROM words WHERE words MATCH ?", arguments: ["geheim: a"],
      message: "no such column: …(redacted)"),
    Case(
      sql: "SELECT count(*) FROM words WHERE words MATCH ?", arguments: ["*geheim"],
      message: "unknown special query: …(redacted)"),
    Case(
      sql: "SELECT count(*) FROM old WHERE old MATCH ?", arguments: ["\"geheim"],
      message: "malformed MATCH expression: …(redacted)"),
    Case(
      sql: "SELECT matchinfo(old, ?) FROM old WHERE old MATCH 'a'", arguments: ["geheim"],
      message: "unrecognized matchinfo request: …(redacted)"),
    // Values of columns.
    Case(
      sql: "SELECT json_extract('{}', text) FROM secret", arguments: [],
      message: "bad JSON path: …(redacted)"),
    Case(
      sql: "SELECT * FROM words WHERE words MATCH (SELECT pattern FROM secret)", arguments: [],
      message: "no such column: …(redacted)"),
  ]

  private static let schema = """
    CREATE VIRTUAL TABLE words USING fts5(a);
    CREATE VIRTUAL TABLE old USING fts4(a);
    INSERT INTO old VALUES ('a');
    CREATE TABLE secret (text, pattern);
    INSERT INTO secret VALUES ('\(secret)', 'geheim:a');
    CREATE TABLE checked (a UNIQUE CHECK (a <> 'never'), b NOT NULL);
    CREATE TRIGGER refuses BEFORE INSERT ON checked WHEN new.b = 0
      BEGIN SELECT RAISE(ABORT, 'the text of the application'); END;
    """

  private func everything(_ error: DatabaseError) -> String {
    var text = "\(error) \(String(reflecting: error)) \(error.message ?? "") \(error.hint ?? "") "
    text += "\(error.localizedDescription) \((error as NSError).userInfo) "
    dump(error, to: &text)
    return text
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasFTS5), arguments: cases)
  func `a message shows no value, unless arguments are public`(testCase: Case) throws {
    for isPublic in [false, true] {
      let database = try EncryptedQueue(Self.schema) { $0.publicStatementArguments = isPublic }
      try database.queue.inDatabase { db in
        let error = try #require(
          databaseError {
            _ = try Row.fetchAll(db, sql: testCase.sql, arguments: testCase.arguments)
          })
        #expect(error.expandedDescription.contains("geheim"))
        if isPublic {
          #expect(everything(error).contains("geheim"))
          #expect(error.message != testCase.message)
        } else {
          #expect(error.message == testCase.message)
          #expect(!everything(error).contains("geheim"), "\(everything(error))")
          #expect(db.lastErrorMessage?.contains("geheim") != true)
        }
      }
    }
  }

  @Test func `messages about names, and the application's own, stay`() throws {
    try EncryptedQueue.with("CREATE TABLE t (a UNIQUE, b NOT NULL, c CHECK (c > 0))") { db in
      db.add(
        function: DatabaseFunction("fail", argumentCount: 1) { values in
          throw DatabaseError(message: "own text about \(values[0])")
        })
      try db.execute(
        sql: """
          INSERT INTO t VALUES (1, 1, 1);
          CREATE TRIGGER refuses BEFORE INSERT ON t WHEN new.b = 0
            BEGIN SELECT RAISE(ABORT, 'refused: geheim'); END
          """)
      func message(_ sql: String, _ arguments: StatementArguments = []) -> String? {
        databaseError { try db.execute(sql: sql, arguments: arguments) }?.message
      }
      #expect(message("INSERT INTO t VALUES (?, 1, 1)", [1]) == "UNIQUE constraint failed: t.a")
      #expect(message("INSERT INTO t VALUES (2, ?, 1)", [nil]) == "NOT NULL constraint failed: t.b")
      #expect(message("INSERT INTO t VALUES (2, ?, 1)", [0]) == "refused: geheim")
      #expect(message("SELECT fail(?)", ["x"])?.hasPrefix("own text about") == true)
      #expect(message("SELECT abs(?)", [Int64.min]) == "integer overflow")
      #expect(message("SELECT missing FROM t") == "no such column: missing")
      #expect(message("RELEASE nowhere") == "no such savepoint: nowhere")
      #expect(message("COMMIT") == "cannot commit - no transaction is active")
      // Another statement's failure isn't the function's.
      #expect(message("SELECT fail('x')") != nil)
      #expect(message("INSERT INTO t VALUES (?, 1, 1)", [1]) == "UNIQUE constraint failed: t.a")
    }
  }

  // MARK: URIs with keys

  @Test(arguments: ["key", "hexkey", "textkey", "k%65y"])
  func `a key in a URI shows nowhere`(parameter: String) throws {
    let key = "67656865696d"
    let folder = try TemporaryDirectory()
    let uri = "file:\(folder.path("no/such"))?mode=ro&\(parameter)=\(key)"
    let seen = Locked("")
    var configuration = Configuration()
    configuration.publicStatementArguments = true
    configuration.prepareDatabase { db in
      db.trace(options: [.statement, .profile]) { event in
        seen.set(seen.value + "\(event) \(event.expandedDescription)\n")
      }
    }
    let queue = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    let split = uri.count - 20
    let forms: [(String, StatementArguments)] = [
      ("ATTACH '\(uri)' AS x", []), ("ATTACH ? AS x", [uri]),
      ("attach database :u as x", ["u": uri]),
      ("ATTACH \"\(uri)\" AS x", []), ("EXPLAIN ATTACH '\(uri)' AS x", []),
      ("ATTACH '\(uri.prefix(split))' || '\(uri.suffix(20))' AS x", []),
      ("ATTACH replace('\(uri)', 'a', 'a') AS x", []), ("/* a */ ATTACH -- b\n '\(uri)' AS x", []),
      ("VACUUM INTO '\(uri)'", []), ("VACUUM INTO ?", [uri]),
      ("SELECT 1; ATTACH '\(uri)' AS x", []),
    ]
    try queue.inDatabase { db in
      for (sql, arguments) in forms {
        // Some are refused, some fail, and some succeed in SQLite 3.15.
        do {
          try db.execute(sql: sql, arguments: arguments)
        } catch let error as DatabaseError {
          let text = everything(error) + error.expandedDescription
          #expect(!text.contains(key), "\(sql): \(text)")
        }
      }
    }
    #expect(!seen.value.contains(key), "\(seen.value)")
  }

  @Test func `paths without parameters stay readable`() throws {
    let plain = try DatabaseQueue()
    try plain.inDatabase { db in
      let error = databaseError { try db.execute(sql: "ATTACH '/no/such/folder/x.db' AS y") }
      #expect("\(error as Any)".contains("unable to open database: /no/such/folder/x.db"))
    }
  }

  // MARK: The log

  @Test func `the log shows no values`() {
    func logged(_ message: String, _ code: ResultCode = .SQLITE_ERROR) -> String {
      SQLString.redactedMessage(message, code: code)
    }
    for start in ["abort at 5 in [", "statement aborts at 5: ["] {
      for sql in [
        "SELECT json(?)", "SELECT \"a]: b\", [c], ']: d' FROM t -- e]: f", "SELECT ? /* ]: */",
        "SELECT ? -- the end",
      ] {
        for separator in ["]: ", "] "] {
          let message = logged(start + sql + separator + "bad JSON path: 'geheim'")
          #expect(!message.contains("geheim"), "\(message)")
          #expect(message.hasPrefix(start))
          let unknown = logged(start + sql + separator + "geheim: no such thing")
          #expect(!unknown.contains("geheim"), "\(unknown)")
        }
      }
      #expect(
        logged(
          start + "INSERT INTO t VALUES (?)]: UNIQUE constraint failed: t.a",
          .SQLITE_CONSTRAINT_UNIQUE
        ).hasSuffix("[INSERT INTO t VALUES (?)]: UNIQUE constraint failed: t.a"))
    }
    #expect(!logged("abort at 5 in [ATTACH 'file:x?k%65y=geheim' AS x]: unable").contains("geheim"))
    #expect(!logged("abort at 5 in [SELECT 'cut off by SQLite, geheim").contains("geheim"))
    #expect(logged("recovered 3 frames from WAL file x") == "recovered 3 frames from WAL file x")
  }

  @Test func `a function that is missing when a statement is compiled anew is named`() throws {
    try EncryptedQueue.with { db throws in
      let function = DatabaseFunction("twice", argumentCount: 1) { values in
        Int.fromDatabaseValue(values[0]).map { $0 * 2 }
      }
      db.add(function: function)
      let statement = try db.cachedStatement(sql: "SELECT twice(21)")
      #expect(try Int.fetchOne(statement) == 42)
      db.remove(function: function)
      try db.execute(sql: "CREATE TABLE t(a)")
      let error = databaseError { try Int.fetchOne(statement) }
      #expect(error?.message == "no such function: twice")
    }
  }
}
