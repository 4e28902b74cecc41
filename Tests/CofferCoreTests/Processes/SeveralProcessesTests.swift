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

  @Test func `processes make checkpoints all the time, are killed, and no commit is lost`() throws {
    let fixture = try ProcessFixture(.pool)
    var random = SeededGenerator()
    func start(_ number: Int) throws -> TestProcess {
      let child = try fixture.process("checkpoints", "\(number)", "\(number)")
      #expect(child.readLine() == "ready")
      return child
    }
    var children = try (0..<4).map(start)
    var acknowledged = [Int](repeating: 0, count: children.count)
    func end(_ number: Int) {
      for line in children[number].kill() where line.hasPrefix("committed ") {
        acknowledged[number] = Int(line.dropFirst(10)) ?? -1
      }
    }
    /// Each process has written its numbers without a gap, up to the last one it has told.
    func expectCommits() throws {
      for number in children.indices {
        let (count, last) = try fixture.writer.read { db in
          let row = try Row.fetchOne(
            db, sql: "SELECT count(*), max(number) FROM ledger WHERE name = ?",
            arguments: ["\(number)"])
          return (row?[0] as Int? ?? 0, row?[1] as Int? ?? 0)
        }
        #expect(count == last)
        // One more may have been committed without its line.
        #expect(last >= acknowledged[number])
      }
    }
    let stop = ContinuousClock.now + .seconds(checkpointsSeconds)
    var kills = 0
    while ContinuousClock.now < stop {
      usleep(UInt32.random(in: 0...500_000, using: &random))
      let number = Int.random(in: children.indices, using: &random)
      end(number)
      kills += 1
      if kills % 8 == 0 { try expectCommits() }
      children[number] = try start(number)
    }
    for number in children.indices { end(number) }
    try expectCommits()
    try fixture.expectIntegrity()
    print("\(acknowledged.reduce(0, +)) commits of \(kills + children.count) killed processes")
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `processes change the key and check all pages, and none of a whole file is damaged`(
    access: EncryptedDatabase.Kind
  ) throws {
    let fixture = try ProcessFixture(access)
    let keys = (ProcessFixture.hexKey, String(repeating: "a5", count: 32))
    try fixture.writer.close()
    let children = try (0..<4).map { number in
      try fixture.process("check-pages", keys.1, "\(processesSeconds)", "\(number)")
    }
    for child in children { #expect(child.readLine() == "ready") }
    for child in children { child.goOn() }
    var counts = (checks: 0, changes: 0)
    for child in children {
      let (status, lines, error) = child.finish()
      #expect(status == 0, "\(error)")
      #expect(lines.filter { $0.hasPrefix("damaged") } == [])
      func number(_ name: String) -> Int {
        lines.first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
      }
      counts.checks += number("checks")
      counts.changes += number("changes")
    }
    #expect(counts.checks > 0 && counts.changes > 0, "\(counts)")
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
