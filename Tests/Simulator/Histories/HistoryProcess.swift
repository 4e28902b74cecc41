import Coffer
import CofferTestSupport
import Foundation

/// A process that writes to lists, and notes what it has read and written:
///
///   CofferSimulator history-process PATH KEY HOW NUMBER SECONDS SEED NOTES
///
/// HOW is "queue" or "pool". The notes are a file: one line before each access, and one after it.
struct HistoryProcess {
  private let writer: any DatabaseWriter
  private let notes: FileHandle
  private let number: Int
  private var random: SeededGenerator
  /// The number of the last commit that it has seen.
  private var lastSeen = 0

  /// The number of commits after which other lists are used, so that none gets long.
  private static let commitsPerList = 120

  /// The tables of a file.
  static func create(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE head (number INTEGER NOT NULL);
        INSERT INTO head VALUES (0);
        CREATE TABLE list (key INTEGER PRIMARY KEY, ids TEXT NOT NULL);
        CREATE TABLE committed (number INTEGER PRIMARY KEY, id INTEGER NOT NULL);
        """)
  }

  static func configuration(key: String) throws -> Configuration {
    var random = SeededGenerator(state: UInt64(key) ?? 0)
    var configuration = Configuration()
    configuration.key = try .raw(random.bytes(32))
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(20)
    return configuration
  }

  static func run(_ arguments: [String]) throws {
    guard arguments.count == 7, let number = Int(arguments[3]), let seconds = Double(arguments[4]),
      let seed = UInt64(arguments[5]), let notes = FileHandle(forWritingAtPath: arguments[6])
    else { throw Violation("history-process needs seven arguments") }
    var configuration = try configuration(key: arguments[1])
    var random = SeededGenerator(state: seed)
    // Some logs are moved to the file all the time.
    if random.chance(50) {
      configuration.checkpointPolicy = CheckpointPolicy(
        automaticPageCount: 20, maximumPageCount: 200)
    }
    if random.chance(30) {
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = 5") }
    }
    let writer: any DatabaseWriter =
      arguments[2] == "pool"
      ? try DatabasePool(path: arguments[0], configuration: configuration)
      : try DatabaseQueue(path: arguments[0], configuration: configuration)
    var process = HistoryProcess(writer: writer, notes: notes, number: number, random: random)
    let end = ContinuousClock.now + .seconds(seconds)
    var count = 0
    while ContinuousClock.now < end {
      count += 1
      try process.takeTurn(count)
    }
    try writer.close()
  }

  private func note(_ line: String) { notes.write(Data((line + "\n").utf8)) }

  private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  private mutating func keys() -> [Int] {
    let first = lastSeen / Self.commitsPerList * 4
    let keys = (first..<(first + 6)).shuffled(using: &random)
    return Array(keys.prefix(1 + random.below(4)))
  }

  /// One transaction.
  private mutating func takeTurn(_ count: Int) throws {
    var entry = HistoryEntry(id: number * 1_000_000 + count, begin: 0)
    let keys = keys()
    let isWrite = random.chance(60)
    // A transaction reads more than it writes.
    if isWrite { entry.appends = Array(keys.prefix(1 + random.below(3))) }
    let rollsBack = isWrite && random.chance(15)
    let usesTask = random.chance(30)
    let undoes = random.chance(20)
    entry.begin = now
    note(entry.beginning)
    let (id, appends) = (entry.id, entry.appends)
    let body: @Sendable (Database) throws -> (Int, [ListRead]) = { db in
      try Self.transact(db, id, keys, appends, undoes: undoes, rollsBack: rollsBack)
    }
    do {
      let result = try access(isWrite: isWrite, usesTask: usesTask, body)
      entry.outcome = .committed
      (entry.number, entry.reads) = result
      lastSeen = result.0
    } catch is Refusal {
      entry.outcome = .aborted
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      entry.outcome = .aborted
    }
    entry.end = now
    note(entry.ending)
  }

  private func access(
    isWrite: Bool, usesTask: Bool,
    _ body: @escaping @Sendable (Database) throws -> (Int, [ListRead])
  ) throws -> (Int, [ListRead]) {
    let writer = writer
    switch (isWrite, usesTask) {
    case (true, false): return try writer.write(body)
    case (true, true): return try waitForTask { try await writer.write(body) }
    case (false, false): return try writer.read(body)
    case (false, true): return try waitForTask { try await writer.read(body) }
    }
  }

  /// Reads lists, and appends the transaction's identifier to some.
  /// - Returns: The commit's number, or that of the last one for a read; and what was read.
  private static func transact(
    _ db: Database, _ id: Int, _ keys: [Int], _ appends: [Int], undoes: Bool, rollsBack: Bool
  ) throws -> (Int, [ListRead]) {
    var texts: [Int: String] = [:]
    var reads: [ListRead] = []
    for key in keys {
      let sql = "SELECT ids FROM list WHERE key = ?"
      let text = try String.fetchOne(db, sql: sql, arguments: [key]) ?? ""
      texts[key] = text
      reads.append(ListRead(key: key, text: text))
    }
    let number = try Int.fetchOne(db, sql: "SELECT number FROM head") ?? -1
    if appends.isEmpty { return (number, reads) }
    func append(_ key: Int, _ id: Int) throws {
      try db.execute(
        sql: "INSERT OR REPLACE INTO list (key, ids) VALUES (?, ?)",
        arguments: [key, (texts[key] ?? "") + "\(id),"])
    }
    if undoes {
      try db.inSavepoint {
        for key in keys { try append(key, -id) }
        return .rollback
      }
    }
    for key in appends { try append(key, id) }
    try db.execute(sql: "UPDATE head SET number = ?", arguments: [number + 1])
    try db.execute(sql: "INSERT INTO committed VALUES (?, ?)", arguments: [number + 1, id])
    if rollsBack { throw Refusal() }
    return (number + 1, reads)
  }
}
