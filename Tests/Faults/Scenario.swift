import CRecorder
import Coffer
import Foundation

/// Something that changes files, and what has to hold after a power cut at any moment of it.
struct Scenario: Sendable {
  let name: String
  /// Makes the files at the beginning.
  var prepare: @Sendable (Folder) throws -> Void = { _ in }
  /// What is recorded.
  let run: @Sendable (Folder) throws -> Void
  /// Throws if the files aren't what they may be after these marks.
  var check: @Sendable (Folder, Marks) throws -> Void
  /// Whether SQLite takes a failure to read for damage, and closes the file before anybody can ask.
  var hidesReadFailures = false
}

/// A folder with a database.
struct Folder {
  let path: String
  var database: String { "\(path)/vault.db" }
  func file(_ name: String) -> String { "\(path)/\(name)" }
}

/// What the program had said when the power was cut.
struct Marks {
  /// The last number that was begun; 0 before.
  var begun = 0
  /// The last number that was done; 0 before.
  var done = 0
  /// What an error has promised.
  var promise: String?
}

extension Marks {
  /// Takes a remark of ``step(_:_:)`` into account.
  mutating func take(_ event: Disk.Event) {
    guard case .mark(let text) = event else { return }
    if text.hasPrefix("promise ") {
      promise = String(text.dropFirst("promise ".count))
      return
    }
    let words = text.split(separator: " ")
    let number = words.last.flatMap { Int($0) } ?? 0
    if words.first == "begin" { begun = number } else { done = number }
  }
}

/// Says that a step begins, takes it, and says that it is done.
func step(_ number: Int, _ body: () throws -> Void) rethrows {
  coffer_recorder_mark("begin \(number)")
  try body()
  coffer_recorder_mark("done \(number)")
}

struct Violation: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
  guard condition else { throw Violation(text()) }
}

/// The key of this number.
func key(_ number: UInt8) -> DatabaseKey {
  guard let key = try? DatabaseKey.raw([UInt8](repeating: number, count: 32)) else {
    fatalError("32 bytes are a raw key")
  }
  return key
}

struct NumberedKey: KeyProvider {
  let number: UInt8
  func key(forDatabaseAt path: String) throws -> DatabaseKey {
    try .raw([UInt8](repeating: number, count: 32))
  }
}

func unlocker(_ number: UInt8) -> KeyUnlocker { .provider(NumberedKey(number: number)) }

// MARK: Content

/// Rows that belong together: each step's, and their number.
enum Content {
  static let rowsPerStep = 8

  static func create(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE step (number INTEGER NOT NULL);
        INSERT INTO step VALUES (0);
        CREATE TABLE item (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, text TEXT NOT NULL);
        CREATE INDEX itemByText ON item (text);
        """)
  }

  /// Adds the rows of a step, and changes some of older ones.
  static func add(_ number: Int, to db: Database) throws {
    try db.execute(sql: "UPDATE step SET number = ?", arguments: [number])
    for row in 0..<rowsPerStep {
      try db.execute(
        sql: "INSERT INTO item (step, text) VALUES (?, ?)",
        arguments: [number, String(repeating: "\(number).\(row) ", count: 60)])
    }
    try db.execute(
      sql: "UPDATE item SET text = text || ? WHERE step = ?", arguments: ["+", number / 2])
  }

  /// Changes much that is undone: in a savepoint, and in a statement that fails halfway.
  static func undoChanges(of db: Database) throws {
    try db.inSavepoint {
      try db.execute(sql: "UPDATE item SET text = 'undone'; DELETE FROM item WHERE id % 3 = 0")
      return .rollback
    }
    let failure = #"UPDATE item SET text = CASE WHEN id % 8 = 0 THEN NULL ELSE 'undone' END"#
    do {
      try db.execute(sql: failure)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      // More pages are written after it.
      try db.execute(sql: "UPDATE item SET text = text || '' WHERE id % 2 = 0")
    }
  }

  /// Returns the step that the database is at, after proving that it is whole.
  static func check(_ db: Database) throws -> Int {
    guard try db.tableExists("step"), try db.tableExists("item") else { return -1 }
    let number = try Int.fetchOne(db, sql: "SELECT number FROM step") ?? -1
    try require(number >= 0, "a torn transaction: no step")
    let counts = try Row.fetchAll(
      db, sql: "SELECT step, count(*) AS rows FROM item GROUP BY step ORDER BY step")
    try require(
      counts.map { $0["step"] as Int } == Array(1..<(number + 1))
        && counts.allSatisfy { $0["rows"] == rowsPerStep }, "a torn transaction at step \(number)")
    try require(
      try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"], "integrity_check fails")
    return number
  }
}

extension DatabaseReader {
  /// Checks the content and the pages, and returns the step that the database is at.
  func checkedStep(isEncrypted: Bool = true) throws -> Int {
    let number = try read { try Content.check($0) }
    if isEncrypted { try require(try checkCipherIntegrity() == [], "pages that aren't authentic") }
    return number
  }
}

/// Opens a database, checks it and closes it.
///
/// - Returns: The step that it is at; nil if the key is wrong.
func checkedStep(
  of path: String, key: DatabaseKey?, settings: CipherSettings = .default,
  configuration: Configuration = Configuration()
) throws -> Int? {
  var configuration = configuration
  configuration.key = key
  configuration.cipher = settings
  let queue: DatabaseQueue
  do {
    queue = try DatabaseQueue(path: path, configuration: configuration)
  } catch let error as DatabaseError {
    switch error.cipherDiagnosis {
    case .wrongKey, .notEncrypted, .keyRequired, .olderFormat: return nil
    default: throw error
    }
  }
  let number = try queue.checkedStep(isEncrypted: key != nil)
  try queue.close()
  return number
}
