import Coffer
import CofferTestSupport
import Foundation
import Testing

@Suite("Several processes on one file", .serialized)
struct SeveralProcessesTests {
  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `processes write and read at the same time, and no access fails`(
    access: EncryptedDatabase.Kind
  ) throws {
    let fixture = try ProcessFixture(access)
    let children = try (0..<4).map { number in
      try fixture.process("transfer", "\(processesSeconds)", "\(number)")
    }
    for child in children { #expect(child.readLine() == "ready") }
    for child in children { child.goOn() }
    var commits = 0
    for child in children {
      let (status, lines, error) = child.finish()
      #expect(status == 0, "\(error)")
      #expect(error == "")
      let numbers = lines.map { Int($0.split(separator: " ").last ?? "") ?? 0 }
      try #require(lines.count == 2)
      // Each process has read and written.
      #expect(numbers[0] > 0, "\(lines)")
      #expect(numbers[1] > 0, "\(lines)")
      let written = try fixture.writer.read { db in
        try Int.fetchOne(
          db, sql: "SELECT count(DISTINCT number) FROM entry WHERE process = ?",
          arguments: [Int(child.processIdentifier)])
      }
      #expect(written == numbers[0])
      commits += numbers[0]
    }
    try fixture.writer.read { db in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM entry") == 2 * commits)
      #expect(try Int.fetchOne(db, sql: "SELECT sum(amount) FROM entry") == 0)
      #expect(try Int.fetchOne(db, sql: "SELECT sum(balance) FROM account") == 0)
      let wrong = try Int.fetchOne(
        db,
        sql: """
          SELECT count(*) FROM account WHERE balance <>
            (SELECT coalesce(sum(amount), 0) FROM entry WHERE account = account.id)
          """)
      #expect(wrong == 0)
    }
    try fixture.expectIntegrity()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a process that is killed between its commits loses none, and blocks no other`(
    access: EncryptedDatabase.Kind
  ) throws {
    let fixture = try ProcessFixture(access)
    let survivor = try fixture.process("ledger", "survivor")
    #expect(survivor.readLine() == "ready")
    var acknowledged = 0
    var random = SeededGenerator()
    for round in 0..<12 {
      let victim = try fixture.process("ledger", "victim")
      #expect(victim.readLine() == "ready")
      // The process is killed at a random moment of its work.
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        guard let line = victim.readLine() else { break }
        acknowledged = Int(line.split(separator: " ")[1]) ?? -1
      }
      for line in victim.kill() { acknowledged = Int(line.split(separator: " ")[1]) ?? -1 }
      // The next process can read and write at once.
      try fixture.writer.write { db in
        try db.execute(
          sql: "INSERT INTO ledger VALUES ('parent', ?, 0, 'x')", arguments: [round])
        let last = try Int.fetchOne(
          db, sql: "SELECT max(number) FROM ledger WHERE name = 'victim'")
        // One more may have been committed without its line.
        #expect([acknowledged, acknowledged + 1].contains(last ?? 0))
        acknowledged = last ?? 0
      }
      try expectWholeEntries(fixture)
    }
    // The other process has gone on writing.
    let lines = survivor.kill()
    let last = try #require(lines.last.flatMap { Int($0.split(separator: " ")[1]) })
    let written = try fixture.writer.read {
      try Int.fetchOne($0, sql: "SELECT max(number) FROM ledger WHERE name = 'survivor'")
    }
    #expect([last, last + 1].contains(written))
    try expectWholeEntries(fixture)
    try fixture.expectIntegrity()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a process that is killed inside a transaction leaves nothing of it`(
    access: EncryptedDatabase.Kind
  ) throws {
    let fixture = try ProcessFixture(access)
    for _ in 0..<3 {
      let holder = try fixture.process("hold")
      #expect(holder.readLine() == "holding")
      holder.kill()
      try fixture.writer.write { db in
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM ledger") == 0)
        try db.execute(sql: "UPDATE account SET balance = balance + 1")
      }
    }
    let total = try fixture.writer.read {
      try Int.fetchOne($0, sql: "SELECT sum(balance) FROM account")
    }
    #expect(total == 60)
    try fixture.expectIntegrity()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a writer waits for that of another process`(access: EncryptedDatabase.Kind) async throws {
    let fixture = try ProcessFixture(access)
    let holder = try fixture.process("hold")
    #expect(holder.readLine() == "holding")
    let writer = fixture.writer
    async let waiting: Void = writer.write { try $0.execute(sql: "DELETE FROM account") }
    if access == .pool {
      // Readers don't wait, and see the committed state.
      let rows = try await writer.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM ledger")
      }
      #expect(rows == 0)
    }
    holder.goOn()
    #expect(holder.readLine() == "done")
    try await waiting
    let rows = try await writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM ledger") }
    #expect(rows == 500)
  }

  /// Each transaction has written all its ten parts, or none.
  private func expectWholeEntries(
    _ fixture: ProcessFixture, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let torn = try fixture.writer.read { db in
      try Int.fetchOne(
        db,
        sql: """
          SELECT count(*) FROM (
            SELECT 1 FROM ledger WHERE name <> 'parent'
            GROUP BY name, number HAVING count(*) <> 10)
          """)
    }
    let gaps = try fixture.writer.read { db in
      try Int.fetchOne(
        db,
        sql: """
          SELECT count(*) FROM (
            SELECT 1 FROM ledger WHERE name <> 'parent'
            GROUP BY name HAVING count(DISTINCT number) <> max(number))
          """)
    }
    #expect(torn == 0, sourceLocation: sourceLocation)
    #expect(gaps == 0, sourceLocation: sourceLocation)
  }
}
