@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

/// Accounts whose transfers have two halves, neither of which is ever visible without the other.
private struct Bank: Sendable {

  static let accountCount = 10
  static let schema = """
    CREATE TABLE entry (id INTEGER PRIMARY KEY, account INTEGER NOT NULL, amount INTEGER NOT NULL);
    CREATE INDEX entry_account ON entry (account)
    """

  let database: EncryptedDatabase
  var writer: any DatabaseWriter { database.writer }

  init(_ kind: EncryptedDatabase.Kind) throws {
    database = try EncryptedDatabase(kind, Self.schema)
  }

  // Transfers in one transaction may show one half inside of it.
  static func register(_ db: Database, amount: Int, account: Int) throws {
    try db.execute(
      sql: "INSERT INTO entry (account, amount) VALUES (?, ?)", arguments: [account, amount])
  }

  static func transfer(_ db: Database, _ number: Int, fails: Bool = false) throws {
    try register(db, amount: -number, account: number % accountCount)
    if fails { throw TestError() }
    try register(db, amount: number, account: (number + 1) % accountCount)
  }

  static func check(_ db: Database) throws {
    #expect(try Int.fetchOne(db, sql: "SELECT count(*) % 2 FROM entry") == 0)
    #expect(try Int.fetchOne(db, sql: "SELECT ifnull(sum(amount), 0) FROM entry") == 0)
    let balances = try Int.fetchAll(db, sql: "SELECT sum(amount) FROM entry GROUP BY account")
    #expect(balances.reduce(0, +) == 0)
  }

  static func count(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) / 2 FROM entry") ?? 0
  }
}

@Suite("Transfers by many at once", .timeLimit(.minutes(15)))
struct TransferTests {
  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `threads that transfer and threads that look never see half a transfer`(
    kind: EncryptedDatabase.Kind
  ) throws {
    let bank = try Bank(kind)
    let writers = DispatchGroup()
    let readers = DispatchGroup()
    let isOver = Atomic(false)
    let failures = Mutex<[String]>([])
    for thread in 0..<4 {
      detachThread(group: writers) {
        for number in 0..<50 {
          do { try bank.writer.write { try Bank.transfer($0, thread * 50 + number) } } catch {
            failures.withLock { $0.append("\(error)") }
          }
        }
      }
      detachThread(group: readers) {
        repeat {
          do { try bank.writer.read { try Bank.check($0) } } catch {
            failures.withLock { $0.append("\(error)") }
          }
        } while !isOver.load(ordering: .relaxed)
      }
    }
    writers.wait()
    isOver.store(true, ordering: .relaxed)
    readers.wait()
    #expect(failures.withLock(\.self).isEmpty)
    #expect(try bank.writer.read { try Bank.count($0) } == 200)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `tasks that transfer and tasks that look never see half a transfer`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let bank = try Bank(kind)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<300 {
        group.addTask { try await bank.writer.write { try Bank.transfer($0, number) } }
        group.addTask { try await bank.writer.read { try Bank.check($0) } }
      }
      try await group.waitForAll()
    }
    #expect(try await bank.writer.read { try Bank.count($0) } == 300)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a batch is stored as a whole, or not at all`(kind: EncryptedDatabase.Kind) throws {
    let bank = try Bank(kind)
    let group = DispatchGroup()
    let refusals = Atomic(0)
    for batch in 0..<40 {
      detachThread(group: group) {
        do {
          try bank.writer.write { db in
            for number in 0..<10 {
              try Bank.transfer(db, number, fails: batch % 2 == 1 && number == 7)
            }
          }
        } catch is TestError { refusals.add(1, ordering: .relaxed) } catch {}
      }
    }
    group.wait()
    #expect(refusals.load(ordering: .relaxed) == 20)
    try bank.writer.read { db in
      try Bank.check(db)
      #expect(try Bank.count(db) == 200)
    }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `what is read and then written in one access is never overtaken`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let database = try EncryptedDatabase(
      kind, "CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)")
    let writer = database.writer
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<400 {
        group.addTask {
          try await writer.write { db in
            let n = try Int.fetchOne(db, sql: "SELECT n FROM counter") ?? 0
            try db.execute(sql: "UPDATE counter SET n = ?", arguments: [n + 1])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await writer.read { try Int.fetchOne($0, sql: "SELECT n FROM counter") } == 400)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `callbacks, tasks and threads are served by one writer in turn`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let bank = try Bank(kind)
    let isInside = Atomic(false)
    let overlaps = Atomic(0)
    let transfer: @Sendable (Database) throws -> Void = { db in
      if isInside.exchange(true, ordering: .acquiringAndReleasing) {
        overlaps.add(1, ordering: .relaxed)
      }
      try Bank.transfer(db, 1)
      isInside.store(false, ordering: .releasing)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<150 {
        switch number % 3 {
        case 0: group.addTask { try await bank.writer.write(transfer) }
        case 1:
          group.addTask {
            try await withCheckedThrowingContinuation { continuation in
              bank.writer.asyncWrite(transfer) { _, result in continuation.resume(with: result) }
            }
          }
        default:
          group.addTask {
            try await withCheckedThrowingContinuation { continuation in
              detachThread {
                continuation.resume(with: Result { try bank.writer.write(transfer) })
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(overlaps.load(ordering: .relaxed) == 0)
    #expect(try await bank.writer.read { try Bank.count($0) } == 150)
  }
}
