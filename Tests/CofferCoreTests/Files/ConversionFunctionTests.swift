import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

/// Whole files are encrypted, decrypted and converted whatever functions and collations they use.
@Suite struct ConversionFunctionTests {
  private let directory: TemporaryDirectory
  private let key = DatabaseKey.seeded()
  private var plain: String { directory.path("plain.db") }
  private var vault: String { directory.path("vault.db") }

  init() throws { directory = try TemporaryDirectory() }

  private static let lengths = DatabaseCollation("byLength") { lhs, rhs in
    lhs.count < rhs.count
      ? .orderedAscending : lhs.count == rhs.count ? .orderedSame : .orderedDescending
  }
  private static let initial = DatabaseFunction("initial", argumentCount: 1, pure: true) {
    String.fromDatabaseValue($0[0]).map { String($0.prefix(1)) }
  }

  private func text(_ number: Int) -> String { "Ä\(number % 7) \(number)" }

  private func makeFile(
    _ path: String, key: DatabaseKey?, _ sql: String,
    _ configuration: Configuration = Configuration()
  ) throws {
    var configuration = configuration
    configuration.key = key
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { db in
      try db.execute(sql: sql)
      for number in 1...50 {
        try db.execute(
          sql: "INSERT INTO t (a, b) VALUES (?, ?)", arguments: [text(number), number])
      }
    }
    try queue.close()
  }

  /// Whether the rows are there, and the indexes can be used and written.
  private func check(
    _ path: String, key: DatabaseKey?, order: String,
    _ configuration: Configuration = Configuration()
  ) throws {
    var configuration = configuration
    configuration.key = key
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { db in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 50)
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
      #expect(
        try Int.fetchOne(db, sql: "SELECT b FROM t WHERE a = \(order)", arguments: [text(12)])
          != nil)
      try db.execute(sql: "INSERT INTO t (a, b) VALUES ('new', 51); DELETE FROM t WHERE b = 51")
    }
    try queue.close()
  }

  private static let ofCoffer = """
    CREATE TABLE t (a TEXT COLLATE swiftCaseInsensitiveCompare, b INTEGER, c TEXT);
    CREATE UNIQUE INDEX t_a ON t (a COLLATE swiftCompare);
    CREATE INDEX t_a2 ON t (a COLLATE swiftLocalizedStandardCompare);
    CREATE INDEX t_a3 ON t (swiftLowercaseString(a));
    CREATE INDEX t_a4 ON t (a COLLATE coffer_decimal);
    CREATE INDEX t_c ON t (coffer_json(c, '$.x'));
    """

  @Test func `indexes with Coffer's own collations and functions are kept`() throws {
    try makeFile(plain, key: nil, Self.ofCoffer)
    try DatabaseFile.encrypt(at: plain, to: vault, key: key)
    try check(vault, key: key, order: "? COLLATE swiftCompare")
    let back = directory.path("back.db")
    try DatabaseFile.decrypt(at: vault, key: key, to: back)
    try check(back, key: nil, order: "? COLLATE swiftCompare")
    try DatabaseFile.encrypt(at: plain, to: plain, key: key)
    try check(plain, key: key, order: "? COLLATE swiftCompare")
    let newKey = DatabaseKey.seeded()
    try DatabaseFile.convert(at: vault, key: key, from: .default, newKey: newKey)
    try check(vault, key: newKey, order: "? COLLATE swiftCompare")
    let queue = try DatabaseQueue(path: vault, key: newKey)
    try queue.backup(toPath: directory.path("copy.db"))
    try check(directory.path("copy.db"), key: newKey, order: "?")
    try queue.exportPlaintext(to: directory.path("export.db"))
    try check(directory.path("export.db"), key: nil, order: "?")
  }

  /// The connections that prove the new key have none of the functions.
  @Test func `a key is changed where indexes and constraints use functions`() throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.add(collation: Self.lengths)
      db.add(function: Self.initial)
    }
    let sql = """
      CREATE TABLE t (a TEXT COLLATE byLength CHECK (initial(a) <> 'Q'), b INTEGER);
      CREATE INDEX t_a ON t (initial(a));
      CREATE INDEX t_b ON t (b) WHERE swiftLowercaseString(a) <> '';
      """
    try makeFile(vault, key: key, sql, configuration)
    let newKey = DatabaseKey.seeded()
    var keyed = configuration
    keyed.key = key
    let queue = try DatabaseQueue(path: vault, configuration: keyed)
    try queue.changeKey(to: newKey)
    try queue.close()
    try check(vault, key: newKey, order: "?", configuration)
    #expect(
      databaseError { try DatabaseQueue(path: vault, key: key) }?.cipherDiagnosis == .wrongKey)
  }

  @Test func `documents are encrypted with their indexes`() throws {
    struct Book: Codable, Identifiable {
      var id: Int
      @Unique var title: String
      @Index @CollateCaseInsensitive var author: String
      @Index var price: Decimal
    }
    let store = DocumentStore(try DatabaseQueue(path: plain))
    let books = try store.collection(Book.self)
    for number in 1...20 {
      try books.insert(
        Book(id: number, title: text(number), author: "A\(number % 3)", price: Decimal(number) / 4))
    }
    try store.close()
    try DatabaseFile.encrypt(at: plain, to: vault, key: key)
    let encrypted = try DocumentStore(path: vault, key: key)
    let copies = try encrypted.collection(Book.self)
    #expect(try copies.all().fetchCount() == 20)
    #expect(try copies.filter(\.title, equalTo: text(4)).fetchOne()?.id == 4)
    #expect(throws: (any Error).self) {
      try copies.insert(Book(id: 21, title: text(4), author: "", price: 0))
    }
    try encrypted.close()
    try DatabaseFile.decrypt(at: vault, key: key, to: directory.path("back.db"))
  }

  @Test func `a file as EasyDB makes it is encrypted, and used`() throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      // As EasyDB registers them.
      db.add(
        collation: DatabaseCollation("string") { lhs, rhs in
          lhs == rhs ? .orderedSame : lhs < rhs ? .orderedAscending : .orderedDescending
        })
      db.add(collation: DatabaseCollation("caseInsensitive") { $0.caseInsensitiveCompare($1) })
      db.add(collation: DatabaseCollation("localized") { $0.localizedCompare($1) })
      db.add(
        collation: DatabaseCollation("localizedCaseInsensitive") {
          $0.localizedCaseInsensitiveCompare($1)
        })
    }
    try makeFile(
      plain, key: nil,
      """
      CREATE TABLE t (a, b, c);
      CREATE UNIQUE INDEX "t-a-unique" ON t ("a" COLLATE "string");
      CREATE INDEX "t-a-caseInsensitive" ON t (a COLLATE caseInsensitive);
      CREATE INDEX "t-a-localized" ON t (a COLLATE Localized);
      CREATE INDEX "t-a-lci" ON t (a COLLATE localizedCaseInsensitive);
      CREATE INDEX "t-a-binary" ON t (a COLLATE binary);
      """, configuration)
    try DatabaseFile.encrypt(at: plain, to: vault, key: key)
    try check(vault, key: key, order: "? COLLATE string")
    // Documents over the table that is there.
    struct T: Codable {
      var a: String
      var b: Int
    }
    let store = try DocumentStore(path: vault, key: key)
    let rows = try store.collection(T.self)
    #expect(try rows.all().fetchCount() == 50)
    try rows.insert(T(a: "added", b: 100))
    #expect(try rows.filter(\.a, equalTo: "added").fetchOne()?.b == 100)
  }

  @Test func `an application's collation of one of EasyDB's names comes first`() throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.add(
        collation: DatabaseCollation("string") {
          $1 < $0 ? .orderedAscending : $0 == $1 ? .orderedSame : .orderedDescending
        })
    }
    let queue = try DatabaseQueue(configuration: configuration)
    let sql =
      """
      SELECT c FROM (SELECT 'a' AS c UNION SELECT 'c' UNION SELECT 'b') ORDER BY 1 COLLATE string
      """
    #expect(try queue.read { try String.fetchAll($0, sql: sql) } == ["c", "b", "a"])
    #expect(try DatabaseQueue().read { try String.fetchAll($0, sql: sql) } == ["a", "b", "c"])
    let error = databaseError {
      try DatabaseQueue().read { try Row.fetchAll($0, sql: sql + "s") }
    }
    #expect(error?.message?.contains("no such collation") == true)
  }

  @Test func `an application's functions and collations are known through its configuration`()
    throws
  {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.usePassphrase("whatever it is")
      try db.execute(sql: "PRAGMA cache_size = -4000")
      db.add(collation: Self.lengths)
      db.add(function: Self.initial)
    }
    var known = Configuration()
    known.prepareDatabase { db in
      db.add(collation: Self.lengths)
      db.add(function: Self.initial)
    }
    try makeFile(
      plain, key: nil,
      """
      CREATE TABLE t (a TEXT, b INTEGER);
      CREATE INDEX t_a ON t (a COLLATE byLength);
      CREATE INDEX t_a2 ON t (initial(a));
      CREATE INDEX t_a3 ON t (b) WHERE initial(a) = 'Ä';
      """, known)
    #expect(throws: DatabaseError.self) {
      try DatabaseFile.encrypt(at: plain, to: vault, key: key)
    }
    #expect(try directory.contents() == ["plain.db"])
    try DatabaseFile.encrypt(at: plain, to: vault, key: key, configuration: configuration)
    try check(vault, key: key, order: "? COLLATE BINARY", known)
    try DatabaseFile.decrypt(
      at: vault, key: key, to: directory.path("back.db"), configuration: configuration)
    try check(directory.path("back.db"), key: nil, order: "?", known)
    try DatabaseFile.convert(
      at: vault, key: key, from: .default, configuration: configuration, progress: { _ in })
    try check(vault, key: key, order: "?", known)
    // A connection knows the functions that were added to it.
    var keyed = known
    keyed.key = key
    let queue = try DatabaseQueue(path: vault, configuration: keyed)
    try queue.backup(toPath: directory.path("copy.db"))
    try queue.exportPlaintext(to: directory.path("export.db"))
    try check(directory.path("export.db"), key: nil, order: "?", known)
  }

  @Test func `progress stays the closure that comes last`() throws {
    try makeFile(plain, key: nil, Self.ofCoffer)
    var phases: Set<DatabaseFile.Progress.Phase> = []
    try DatabaseFile.encrypt(at: plain, to: vault, key: key) { phases.insert($0.phase) }
    #expect(phases == [.copying, .verifying, .finished])
  }

  @Test(.enabled(if: SQLCipherVersion.hasFTS5))
  func `full text with the application's tokenizer is kept`() throws {
    var configuration = Configuration()
    configuration.prepareDatabase { $0.add(tokenizer: LetterTokenizer.self) }
    let queue = try DatabaseQueue(path: plain, configuration: configuration)
    try queue.write { db in
      try db.create(virtualTable: "text", using: FTS5()) { t in
        t.tokenizer = LetterTokenizer.tokenizerDescriptor()
        t.column("body")
      }
      try db.execute(sql: "INSERT INTO text VALUES ('some words')")
    }
    try queue.close()
    try DatabaseFile.encrypt(at: plain, to: vault, key: key)
    configuration.key = key
    let copy = try DatabaseQueue(path: vault, configuration: configuration)
    #expect(
      try copy.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM text WHERE text MATCH 'words'")
      }
        == 1)
  }
}

private enum SQLCipherVersion {
  static var hasFTS5: Bool { Database.engine.hasFTS5 }
}

/// Words between spaces, by the tokenizer that FTS5 has.
private final class LetterTokenizer: FTS5WrapperTokenizer {
  static let name = "coffer_letters"
  let wrappedTokenizer: any FTS5Tokenizer

  init(db: Database, arguments: [String]) throws {
    wrappedTokenizer = try db.makeTokenizer(.unicode61())
  }

  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
    tokenCallback: FTS5WrapperTokenCallback
  ) throws {
    try tokenCallback(token, flags)
  }
}
