import CofferTestSupport
import Synchronization
import Testing

@testable import Coffer
@testable import CofferCore

/// An observed value is what a fetch gives after the commit: no change of a request's rows goes
/// unnoticed, whatever the schema, the request, and the way of the change.
@Suite("Observed fetches", .timeLimit(.minutes(30)))
struct ObservedFetchTests {
  /// A request, and whether its region has been reported as changed.
  private final class Observed: Sendable {
    let request: RandomProgram.Request
    private let isChanged = Mutex(false)
    private let hasEnded = Mutex(false)
    private let cancellable = Mutex<AnyDatabaseCancellable?>(nil)

    init(_ request: RandomProgram.Request) { self.request = request }

    func start(in writer: any DatabaseWriter) {
      let region = AnyDatabaseRegionConvertible { [request] db in
        try db.recordingRegion { try ObservedFetchTests.rows(request, db) }.1
      }
      let started = DatabaseRegionObservation(tracking: region).start(in: writer) { _ in
        self.isChanged.withLock { $0 = true }
        self.hasEnded.withLock { $0 = true }
      } onChange: { _ in
        self.isChanged.withLock { $0 = true }
      }
      cancellable.withLock { $0 = started }
    }

    /// Starts again after an error, such as a table that was missing for a moment.
    func goOn(in writer: any DatabaseWriter) {
      let hasEnded = hasEnded.withLock { hasEnded in
        defer { hasEnded = false }
        return hasEnded
      }
      if hasEnded { start(in: writer) }
    }

    func takeChange() -> Bool {
      isChanged.withLock { isChanged in
        defer { isChanged = false }
        return isChanged
      }
    }
  }

  /// The rows of a request as text; sorted where it leaves the order open.
  private static func rows(_ request: RandomProgram.Request, _ db: Database) throws -> [String] {
    let rows =
      switch request {
      case .sql(let sql): try Row.fetchAll(db, sql: sql)
      case .table(let name): try Row.fetchAll(db, Table(name))
      case .row(let name, let id): try Row.fetchAll(db, Table(name).filter(Column("id") == id))
      case .rowID(let name, let id):
        try Row.fetchAll(db, Table(name).select(Column.rowID).filter(Column.rowID == id))
      case .count(let name): [Row(["count": try Table(name).fetchCount(db)])]
      }
    let texts = rows.map { row in row.databaseValues.map { "\($0)" }.joined(separator: "|") }
    return "\(request)".contains("ORDER BY") ? texts : texts.sorted()
  }

  private static func outcome(
    _ request: RandomProgram.Request, _ writer: any DatabaseWriter
  ) -> String {
    do {
      return try writer.writeWithoutTransaction { try rows(request, $0).joined(separator: ",") }
    } catch { return "error" }
  }

  /// A database with the schema of a program, and those of its requests that can be fetched.
  private static func prepare(
    _ program: RandomProgram, _ kind: EncryptedDatabase.Kind, count: Int,
    _ random: inout SeededGenerator
  ) throws -> (EncryptedDatabase, [RandomProgram.Request]) {
    let database = try EncryptedDatabase(kind)
    for sql in program.schema {
      try database.writer.writeWithoutTransaction { db in try? db.execute(sql: sql) }
    }
    let requests = program.requests.shuffled(using: &random).prefix(count)
      .filter { outcome($0, database.writer) != "error" }
    return (database, requests)
  }

  private static func perform(_ change: String, _ writer: any DatabaseWriter) throws {
    try writer.writeWithoutTransaction { db in
      try? db.execute(sql: change)
      if db.isInsideTransaction { try db.rollback() }
    }
  }

  @Test func `each change of a fetched value is noticed`() throws {
    var random = SeededGenerator()
    for trial in 0..<trialCount(60) {
      var program = RandomProgram(SeededGenerator(state: random.next()))
      let kind: EncryptedDatabase.Kind = trial % 4 == 3 ? .pool : .queue
      let (database, requests) = try Self.prepare(program, kind, count: 12, &random)
      let writer = database.writer
      let observed = requests.map(Observed.init)
      for request in observed { request.start(in: writer) }
      var values = requests.map { Self.outcome($0, writer) }
      var history: [String] = []
      for _ in 0..<10 {
        let change = program.change()
        history.append(change)
        try Self.perform(change, writer)
        for (index, request) in observed.enumerated() {
          let value = Self.outcome(request.request, writer)
          let isNoticed = request.takeChange()
          if value != values[index], !isNoticed {
            Issue.record(
              """
              missed: \(request.request): \(values[index]) -> \(value)
              \((program.schema + ["--"] + history).joined(separator: ";\n"))
              """)
          }
          values[index] = value
          request.goOn(in: writer)
        }
      }
    }
  }
}
