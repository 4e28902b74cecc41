import CofferTestSupport
import Testing

@testable import Coffer
@testable import CofferCore
@testable import CofferObservation
@testable import CofferQuery

@Suite("Kept lists", .timeLimit(.minutes(15)))
struct KeptListTests {
  private func database() throws -> EncryptedQueue {
    try EncryptedQueue(KeptItem.schema, configure: KeptItem.prepare)
  }

  private func followers(
    _ requests: [(String, QueryInterfaceRequest<KeptItem>)], _ db: Database
  ) throws -> [KeptFollower<ListSource<KeptItem>>] {
    try requests.map { name, request in
      try KeptFollower(name, #require(ListSource(records: request), "\(name)"), db)
    }
  }

  private func fill(_ db: Database) throws {
    for id in 1...30 {
      try db.execute(
        sql: "INSERT INTO Item (id, name, nick, score, flag) VALUES (?, ?, ?, ?, ?)",
        arguments: [
          id, ["a", "B", "ab", nil][id % 4], ["b", "A", "a", "c", nil][id % 5], id % 6, id % 8,
        ])
      try db.execute(sql: "INSERT INTO bare VALUES (?, ?)", arguments: ["n\(id % 5)", id % 3])
    }
  }

  /// Changes rows at random; after each change, what is kept must be what the requests fetch.
  private func changeRows<Source: KeptSource>(
    _ count: Int, _ random: inout SeededGenerator, _ db: Database,
    followedBy followers: [KeptFollower<Source>]
  ) throws {
    for _ in 0..<trialCount(count) {
      let change = KeptItem.change(&random)
      do { try db.execute(sql: change) } catch {
        if db.isInsideTransaction { try db.rollback() }
      }
      for follower in followers {
        let fetched = try follower.fetchedValue(db)
        try #require(follower.value == fetched, "\(follower.name), after \(change)")
      }
    }
  }

  @Test func `equal what their requests fetch, after each of many changes`() throws {
    let database = try database()
    var random = SeededGenerator()
    try database.use { db in
      try fill(db)
      let followers = try followers(KeptItem.kept, db)
      try changeRows(300, &random, db, followedBy: followers)
      // Most changes are applied to the lists.
      for follower in followers where !follower.name.hasSuffix("?") {
        #expect(follower.updateCount > follower.fetchCount, "\(follower.name)")
      }
    }
  }

  @Test func `have numbers that equal what their requests count, after each of many changes`()
    throws
  {
    let database = try database()
    var random = SeededGenerator()
    try database.use { db in
      try fill(db)
      let followers = try (KeptItem.kept + KeptItem.unkept).compactMap { name, request in
        try CountSource(request).map { try KeptFollower(name, $0, db) }
      }
      try changeRows(300, &random, db, followedBy: followers)
      // Which rows come in behind a limit isn't known.
      let limited = KeptItem.kept.map(\.0).filter { $0.hasPrefix("limit") }
      expectUpdates(
        of: followers, none: KeptItem.unkept.map(\.0), some: { !limited.contains($0) })
    }
  }

  /// Expects that those with some names were fetched each time, and that others were updated.
  ///
  /// Most changes are of columns that a number doesn't depend on, and are none here.
  private func expectUpdates<Source: KeptSource>(
    of followers: [KeptFollower<Source>], none unkept: [String],
    some isKept: (String) -> Bool = { _ in true }
  ) {
    for follower in followers where !follower.name.hasSuffix("?") {
      if unkept.contains(follower.name) {
        #expect(follower.updateCount == 0, "\(follower.name)")
      } else if isKept(follower.name) {
        #expect(follower.updateCount > 0, "\(follower.name)")
      }
    }
  }

  @Test func `have sums that equal what their requests fetch, after each of many changes`() throws {
    let database = try database()
    var random = SeededGenerator()
    try database.use { db in
      try fill(db)
      let followers = try (KeptItem.sums + KeptItem.unkeptSums).compactMap { name, request in
        try SumSource(request).map { try KeptFollower(name, $0, db) }
      }
      try changeRows(300, &random, db, followedBy: followers)
      expectUpdates(of: followers, none: KeptItem.unkeptSums.map(\.0))
    }
  }

  @Test func `have sums of integers only, which have room`() throws {
    let database = try database()
    try database.use { db in
      let request = Table("bare").select(sum(Column("score")), as: Double.self)
      for values in [
        ["1", "NULL", "2", "-3"], ["1", "0.1", "0.2", "-0.3"], ["1", "'2'", "x'33'", "4"],
        ["9223372036854775807", "-9223372036854775808", "9223372036854775807"],
        ["9223372036854775807", "-5", "5"], ["-9223372036854775808", "1"],
      ] {
        try db.execute(sql: "DELETE FROM bare")
        let follower = try KeptFollower("score", #require(SumSource(request)), db)
        let changes =
          values.enumerated().map { "INSERT INTO bare (rowid, score) VALUES (\($0), \($1))" }
          + values.indices.map { "UPDATE bare SET score = 7 - rowid WHERE rowid = \($0)" }
          + values.indices.map { "DELETE FROM bare WHERE rowid = \($0)" }
        for change in changes {
          try db.execute(sql: change)
          // Where a sum overflows in some order, the request can fail.
          guard case .success(let fetched) = Result(catching: { try follower.fetchedValue(db) })
          else { continue }
          #expect(follower.value == fetched, "\(values), \(change)")
        }
        #expect(follower.value == nil)
      }
    }
  }

  @Test func `have a sum that overflows as an error, and the next one as a value`() throws {
    let database = try database()
    try database.use { db in
      let request = Table("bare").select(sum(Column("score")), as: Int64.self)
      try db.execute(sql: "INSERT INTO bare VALUES ('a', 9223372036854775807), ('b', 0)")
      let follower = try KeptFollower("score", #require(SumSource(request)), db)
      try db.execute(sql: "UPDATE bare SET score = -1 WHERE name = 'b'")
      #expect(follower.value == Int64.max - 1)
      try db.execute(sql: "UPDATE bare SET score = 1 WHERE name = 'b'")
      #expect(throws: DatabaseError.self) { try follower.fetchedValue(db) }
      try db.execute(sql: "UPDATE bare SET score = 2 WHERE name = 'a'")
      #expect(follower.value == 3)
    }
  }

  @Test func `a new rowid changes what is kept of a row whose columns stay`() throws {
    let database = try database()
    try database.use { db in
      try fill(db)
      let named = KeptItem.filter(Column("name") == "ab")
      let number = try KeptFollower("number", #require(CountSource(named)), db)
      let names = Table("Item").filter(Column("name") == "ab")
        .select(Column("name"), as: DatabaseValue.self)
      let list = try KeptFollower("list", #require(ListSource(values: names)), db)
      for sql in [
        "UPDATE Item SET nick = 'x' WHERE id = 2", "UPDATE Item SET id = 102 WHERE id = 2",
        "DELETE FROM Item WHERE id = 102", "UPDATE Item SET rowid = 106 WHERE id = 6",
        "INSERT INTO Item (id, name) VALUES (6, 'ab')", "UPDATE Item SET oid = 2 WHERE id = 6",
        "DELETE FROM Item WHERE id > 100", "UPDATE Item SET name = 'c' WHERE id = 2",
      ] {
        try db.execute(sql: sql)
        #expect(try number.value == number.fetchedValue(db), "\(sql)")
        #expect(try list.value == list.fetchedValue(db), "\(sql)")
      }
    }
  }

  @Test func `a vacuum changes rowids, and nothing that is kept by them is used again`() throws {
    let database = try database()
    var random = SeededGenerator()
    try database.use { db in
      try fill(db)
      let some = Table("bare").filter(Column("score") == 1)
      let number = try KeptFollower("number", #require(CountSource(some)), db)
      let names = some.select(Column("name"), as: DatabaseValue.self).order(Column("name"))
      let list = try KeptFollower("list", #require(ListSource(values: names)), db)
      for _ in 0..<100 {
        let (score, id) = (
          Int.random(in: 0...2, using: &random), Int.random(in: 1...40, using: &random)
        )
        let sql = [
          "UPDATE bare SET score = \(score) WHERE rowid = \(id)",
          "DELETE FROM bare WHERE rowid = \(id)", "INSERT INTO bare VALUES ('n\(id)', \(score))",
          "VACUUM",
        ].randomElement(using: &random)!
        try db.execute(sql: sql)
        #expect(try number.value == number.fetchedValue(db), "\(sql)")
        #expect(try list.value == list.fetchedValue(db), "\(sql)")
      }
      #expect(number.updateCount > 0 && list.updateCount > 0)
    }
  }

  @Test func `have numbers that are counted by the request where there are many rows`() throws {
    let database = try database()
    try database.use { db in
      try fill(db)
      func follower(_ request: QueryInterfaceRequest<KeptItem>) throws -> KeptFollower<CountSource>
      {
        var source = try #require(CountSource(request))
        source.mostRows = 29
        return try KeptFollower("", source, db)
      }
      let all = try follower(KeptItem.all())
      let some = try follower(KeptItem.filter(sql: "+flag < 4"))
      for id in [1, 1, 2, 3] {
        try db.execute(sql: "DELETE FROM Item WHERE id = ?", arguments: [id])
        #expect(try all.value == all.fetchedValue(db))
        #expect(try some.value == some.fetchedValue(db))
      }
      #expect(some.fetchCount == 1)
      // Kept from the first fetch on that has found fewer rows.
      #expect(all.fetchCount == 2)
      for id in 31...36 {
        try db.execute(sql: "INSERT INTO Item (id, flag) VALUES (?, 1)", arguments: [id])
        #expect(try all.value == all.fetchedValue(db))
        #expect(try some.value == some.fetchedValue(db))
      }
      #expect(some.fetchCount == 1)
      #expect(all.fetchCount > 3)
    }
  }

  @Test func `of values and of rows without a known key equal what their requests fetch`() throws {
    let database = try database()
    var random = SeededGenerator()
    try database.use { db in
      try fill(db)
      let table = Table("bare")
      let requests = [
        table.select(Column("score"), as: DatabaseValue.self),
        table.select(Column("name"), as: DatabaseValue.self).order(Column("score").desc),
        table.filter(Column("score") != nil).order(Column("name"))
          .select(Column("name"), as: DatabaseValue.self),
        // What changes a rowid changes none of their columns.
        Table("Item").select(Column("name"), as: DatabaseValue.self).order(Column("name")),
        Table("Item").filter(Column("nick") > "a")
          .select(Column("score"), as: DatabaseValue.self).order(Column("score").desc),
      ]
      let followers = try requests.enumerated().map { index, request in
        try KeptFollower("\(index)", #require(ListSource(values: request)), db)
      }
      try changeRows(400, &random, db, followedBy: followers)
      for follower in followers { #expect(follower.updateCount > 0, "\(follower.name)") }
    }
  }

  @Test func `aren't made of requests whose rows depend on more than themselves`() throws {
    let database = try database()
    var random = SeededGenerator()
    try database.use { db in
      try fill(db)
      let followers = try KeptItem.unkept.compactMap { name, request in
        try ListSource(records: request).map { try KeptFollower(name, $0, db) }
      }
      for _ in 0..<100 {
        let change = KeptItem.change(&random)
        do { try db.execute(sql: change) } catch {
          if db.isInsideTransaction { try db.rollback() }
        }
      }
      for follower in followers { #expect(follower.updateCount == 0, "\(follower.name)") }
    }
  }

  @Test func `are fetched anew when conditions mean something else`() throws {
    let database = try database()
    try database.use { db in
      try fill(db)
      let like = try followers(
        [("like", KeptItem.filter(sql: "nick LIKE 'B%'").order(Column("nick")))], db)[0]
      let function = try followers([("twice", KeptItem.filter(sql: "twice(id) > 20"))], db)[0]
      let collated = try followers(
        [
          (
            "collated",
            KeptItem.order(
              Column("nick").collating(Database.CollationName(rawValue: "reversedText")))
          )
        ], db)[0]
      func expectEqual() throws {
        for follower in [like, function, collated] {
          let fetched = try follower.fetchedValue(db)
          #expect(follower.value == fetched, "\(follower.name)")
        }
      }
      try db.execute(sql: "UPDATE Item SET nick = 'bc', score = 1 WHERE id = 11")
      try expectEqual()
      #expect(like.updateCount == 1)
      try db.execute(sql: "PRAGMA case_sensitive_like = ON")
      try db.execute(sql: "UPDATE Item SET nick = 'bd', score = 2 WHERE id = 11")
      try expectEqual()
      #expect(like.updateCount == 1)
      db.add(
        function: DatabaseFunction("twice", argumentCount: 1, pure: true) { values in
          Int64.fromDatabaseValue(values[0]).map { $0 * 3 }
        })
      try db.execute(sql: "UPDATE Item SET nick = 'be', score = 3 WHERE id = 11")
      try expectEqual()
      db.add(
        collation: DatabaseCollation("reversedText") { lhs, rhs in
          lhs == rhs ? .orderedSame : lhs < rhs ? .orderedAscending : .orderedDescending
        })
      try db.execute(sql: "UPDATE Item SET nick = 'bf', score = 4 WHERE id = 11")
      try expectEqual()
      try db.execute(sql: "ALTER TABLE Item ADD COLUMN more")
      try db.execute(sql: "UPDATE Item SET nick = 'bg', score = 5 WHERE id = 11")
      try expectEqual()
      try db.execute(sql: "DELETE FROM Item")
      try expectEqual()
      #expect(like.value == [])
    }
  }

  @Test func `with a limit are fetched anew only where a row behind it can come in`() throws {
    let database = try EncryptedQueue(
      """
      CREATE TABLE Item (
        id INTEGER PRIMARY KEY, name TEXT, nick TEXT, score, flag INTEGER, code TEXT);
      """, configure: KeptItem.prepare)
    try database.use { db in
      for id in 1...100 {
        try db.execute(
          sql: "INSERT INTO Item (id, name, score) VALUES (?, ?, ?)",
          arguments: [id, "n\(id)", 10 * id])
      }
      let follower = try followers(
        [("limit", KeptItem.order(Column("score")).limit(10))], db)[0]
      var updates = 0
      for (change, isFetched) in [
        // Rows of the list, and rows that come into it.
        ("UPDATE Item SET name = 'x' WHERE id = 5", false),
        ("UPDATE Item SET score = 1 WHERE id = 7", false),
        ("UPDATE Item SET score = 55 WHERE id = 90", false),
        ("UPDATE Item SET score = 56, name = 'y' WHERE id IN (91, 92, 93)", false),
        ("INSERT INTO Item (id, score) VALUES (200, 57)", false),
        // Rows behind it.
        ("UPDATE Item SET score = 5000 WHERE id = 60", false),
        ("DELETE FROM Item WHERE id = 61", false),
        // Who follows isn't known.
        ("DELETE FROM Item WHERE id = 1", true),
        ("UPDATE Item SET score = 9999 WHERE id = 2", true),
        ("UPDATE Item SET score = score + 0 WHERE id = (SELECT max(id) FROM Item)", false),
        // One goes, and another comes before the last one.
        ("UPDATE Item SET score = 10034 - score WHERE id IN (2, 3)", false),
      ] {
        try db.execute(sql: change)
        if !isFetched { updates += 1 }
        let fetched = try follower.fetchedValue(db)
        #expect(follower.value == fetched, "\(change)")
        #expect(follower.updateCount == updates, "\(change)")
      }
    }
  }

  @Test func `see the commits of other connections`() throws {
    let database = try database()
    let other = try database.other()
    try database.use { try fill($0) }
    let follower = try database.use { try followers([("all", KeptItem.all())], $0)[0] }
    try other.write { try $0.execute(sql: "UPDATE Item SET name = 'other' WHERE id = 3") }
    try database.use { db in
      try db.execute(sql: "UPDATE Item SET name = 'own' WHERE id = 4")
      let fetched = try follower.fetchedValue(db)
      #expect(follower.value == fetched)
      #expect(follower.updateCount == 0)
      try db.execute(sql: "UPDATE Item SET name = 'own again' WHERE id = 4")
      let fetchedAgain = try follower.fetchedValue(db)
      #expect(follower.value == fetchedAgain)
      #expect(follower.updateCount == 1)
    }
  }

  @Test func `of a large table change by a few rows, and by many`() throws {
    let database = try database()
    try database.use { db in
      try db.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
          INSERT INTO Item (id, name, nick, score, flag)
          SELECT i, 'n' || (i * 7919 % 500), 'k' || (i * 31 % 1000), i % 100, i % 9 FROM n
          """)
      let followers = try followers(KeptItem.kept, db)
      for change in [
        "UPDATE Item SET name = 'n250', nick = 'K500', score = 50 WHERE id = 2500",
        "UPDATE Item SET name = 'zz', nick = 'zz', score = 'zz' WHERE id = 1",
        "DELETE FROM Item WHERE id BETWEEN 100 AND 130",
        "UPDATE Item SET name = name || 'x', nick = 'k3' || nick, score = -score WHERE id % 100 = 3",
        "INSERT INTO Item (id, nick) SELECT id + 6000, nick FROM Item WHERE id % 90 = 7",
        "UPDATE Item SET score = score + 1 WHERE id % 11 = 3",
        "UPDATE Item SET score = score + 1",
      ] {
        try db.execute(sql: change)
        for follower in followers {
          let fetched = try follower.fetchedValue(db)
          #expect(follower.value == fetched, "\(follower.name), after \(change)")
        }
      }
      for follower in followers where !follower.name.hasSuffix("?") {
        #expect(follower.updateCount > 1, "\(follower.name)")
      }
    }
  }
}

/// Kept lists in observations.
@Suite("Observed lists", .timeLimit(.minutes(15)))
struct ObservedListTests {
  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `end with what their requests fetch`(kind: EncryptedDatabase.Kind) async throws {
    let database = try EncryptedDatabase(kind, KeptItem.schema, configure: KeptItem.prepare)
    var random = SeededGenerator()
    let requests = KeptItem.kept.map(\.1) + KeptItem.unkept.filter { $0.0 != "random" }.map(\.1)
    let logs = requests.map { _ in ValueLog<[KeptItem]>() }
    let cancellables = zip(requests, logs).map { request, log in
      ValueObservation.trackingAll(request).start(in: database.writer, log)
    }
    for _ in 0..<trialCount(30) {
      try change(database, &random)
      for (request, log) in zip(requests, logs) {
        let fetched = try await database.writer.read { try request.fetchAll($0) }
        #expect(await log.values(until: fetched).last == fetched)
        #expect(log.errors.isEmpty)
      }
    }
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `have sums that end with what their requests fetch`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let database = try EncryptedDatabase(kind, KeptItem.schema, configure: KeptItem.prepare)
    var random = SeededGenerator()
    let requests = KeptItem.sums.map(\.1)
    let logs = requests.map { _ in ValueLog<DatabaseValue?>() }
    let cancellables = zip(requests, logs).map { request, log in
      ValueObservation.trackingOne(request).start(in: database.writer, log)
    }
    for _ in 0..<trialCount(30) {
      try change(database, &random)
      for (request, log) in zip(requests, logs) {
        let fetched = try await database.writer.read { try request.fetchOne($0) }
        #expect(await log.values(until: fetched).last == fetched)
        #expect(log.errors.isEmpty)
      }
    }
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `of mapped records are fetched once, and changed by the rows of commits`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let fetches = Locked(0)
    let database = try EncryptedDatabase(kind) { configuration in
      configuration.prepareDatabase { db in
        db.trace { event in
          let sql = "\(event)"
          guard sql.contains("ORDER BY \"count\""), !sql.contains(" IN (") else { return }
          fetches.increment()
        }
      }
    }
    var items = (1...100).map { MappedItem(id: $0, name: "x", count: $0 % 7) }
    try await database.writer.write { [items] db in
      try MappedItem.createTable(db)
      for var item in items { try item.insert(db) }
    }
    let log = ValueLog<[MappedItem]>()
    let request = MappedItem.order(Column("count"))
    let cancellable = ValueObservation.trackingAll(request).start(in: database.writer, log)
    _ = await log.values(atLeast: 1)
    var first = 0
    for index in 0..<20 {
      items[index].name = "y"
      items[index].count += 1
      try await database.writer.write { [item = items[index]] in try item.update($0) }
      _ = await log.values(until: items.sorted { ($0.count, $0.id) < ($1.count, $1.id) })
      // The first change can come before a pool's writer is observed.
      if index == 0 { first = fetches.value }
    }
    #expect(first > 0)
    #expect(fetches.value == first)
    let fetched = try await database.writer.read { try request.fetchAll($0) }
    #expect(log.values.last == fetched)
    cancellable.cancel()
  }

  @Test func `follow changes after one that came before they were observed`() async throws {
    let fetches = Locked(0)
    let change = Locked<(@Sendable () throws -> Void)?>(nil)
    let database = try EncryptedDatabase(.pool) { configuration in
      configuration.prepareDatabase { db in
        db.trace(options: .profile) { event in
          let sql = "\(event)"
          guard sql.contains("ORDER BY \"count\""), !sql.contains(" IN (") else { return }
          fetches.increment()
          do { try change.changing { $0.take() }?() } catch { Issue.record(error) }
        }
      }
    }
    let request = MappedItem.order(Column("count"))
    try await database.writer.write { db in
      try MappedItem.createTable(db)
      for id in 1...100 {
        var item = MappedItem(id: id, name: "x", count: id)
        try item.insert(db)
      }
    }
    let rename: @Sendable (Int) throws -> Void = { [writer = database.writer] id in
      try writer.write {
        try $0.execute(sql: "UPDATE mappedItem SET name = 'y' WHERE id = ?", arguments: [id])
      }
    }
    // As the reader's fetch has ended.
    change.set { try rename(1) }
    let log = ValueLog<[String]>()
    let cancellable = ValueObservation.trackingAll(request)
      .map { $0.filter { $0.name == "y" }.map { "\($0.id)" } }
      .start(in: database.writer, log)
    _ = await log.values(until: ["1"])
    let first = fetches.value
    for id in 2...10 {
      try rename(id)
      _ = await log.values(until: (1...id).map(String.init))
    }
    #expect(first > 0)
    #expect(fetches.value == first)
    cancellable.cancel()
  }

  private struct MappedItem: MappedRecord, Equatable {
    var id: Int, name: String, count: Int
    static let mapping = Mapping(
      MappedItem.init(id:name:count:), Field("id", \.id), Field("name", \.name),
      Field("count", \.count))
  }

  private func change(_ database: EncryptedDatabase, _ random: inout SeededGenerator) throws {
    try database.writer.writeWithoutTransaction { db in
      for _ in 0..<10 {
        do { try db.execute(sql: KeptItem.change(&random)) } catch {
          if db.isInsideTransaction { try db.rollback() }
        }
      }
    }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `fail with the error of a fetch if a row can't be decoded`(kind: EncryptedDatabase.Kind)
    async throws
  {
    let database = try EncryptedDatabase(
      kind, "CREATE TABLE number (id INTEGER PRIMARY KEY, n); INSERT INTO number VALUES (1, 1)")
    let request = Table("number").select(Column("n"), as: Int.self)
    let log = ValueLog<[Int]>()
    let cancellable = ValueObservation.trackingAll(request).start(in: database.writer, log)
    _ = await log.values(atLeast: 1)
    try insert(2, database)
    _ = await log.values(until: [1, 2])
    try await database.writer.write { try $0.execute(sql: "INSERT INTO number (n) VALUES (NULL)") }
    let error = await log.error()
    #expect(error is RowDecodingError)
    #expect(log.values.last == [1, 2])
    cancellable.cancel()
  }

  private func insert(_ value: any DatabaseValueConvertible, _ database: EncryptedDatabase) throws {
    try database.writer.write {
      try $0.execute(sql: "INSERT INTO number (n) VALUES (?)", arguments: [value])
    }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `keep earlier values as they were`(kind: EncryptedDatabase.Kind) async throws {
    let database = try EncryptedDatabase(
      kind, "CREATE TABLE number (id INTEGER PRIMARY KEY, n); INSERT INTO number VALUES (1, 1)"
    ) { $0.verifiesObservedLists = true }
    let request = Table("number").select(Column("n"), as: Int.self).order(Column("n"))
    let log = ValueLog<[Int]>()
    let cancellable = ValueObservation.trackingAll(request).start(in: database.writer, log)
    _ = await log.values(atLeast: 1)
    var expected = [[1]]
    for number in [5, 3, 4, 2] {
      try insert(number, database)
      expected.append((expected.last ?? []) + [number])
      expected[expected.count - 1].sort()
      _ = await log.values(until: expected[expected.count - 1])
    }
    #expect(log.values == expected)
    cancellable.cancel()
  }
}
