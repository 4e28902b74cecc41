import Coffer
import CofferTestSupport
import Dispatch
import Foundation

/// Accesses at the same time, whose checks hold in any order.
///
/// Each write adds a row and counts it. The rows are removed at the end, so that the state that
/// follows doesn't depend on the order.
struct Storm {
  private let simulation: Simulation
  private let threads: Int
  private let rounds: Int
  private let cancels: Bool
  /// The identifiers of the rows of writes that have returned.
  private let committed = Locked<Set<Int>>([])

  init(_ simulation: Simulation, threads: Int, rounds: Int, cancels: Bool) {
    self.simulation = simulation
    self.threads = threads
    self.rounds = rounds
    self.cancels = cancels
  }

  /// The number of rows, and how many were counted.
  private struct Count: Equatable, Sendable {
    var rows: Int
    var tally: Int

    static func read(_ db: Database) throws -> Count {
      let rows = try Int.fetchOne(db, sql: "SELECT count(*) FROM storm") ?? -1
      return Count(rows: rows, tally: try Int.fetchOne(db, sql: "SELECT count FROM tally") ?? -2)
    }
  }

  @Sendable private static func write(_ db: Database, _ id: Int) throws {
    try db.execute(sql: "INSERT INTO storm VALUES (?, ?)", arguments: [id, id / 1000])
    try db.execute(sql: "UPDATE tally SET count = count + 1")
  }

  func run() throws {
    let writer = try simulation.opened
    let other = simulation.isLogged ? simulation.other : nil
    let delivered = Locked<[Count]>([])
    let errors = Locked<[any Error]>([])
    let observation = ValueObservation.tracking { try Count.read($0) }
      .start(
        in: writer, scheduling: .async(onQueue: DispatchQueue(label: "coffer.simulator.storm")),
        onError: { errors.append($0) }, onChange: { delivered.append($0) })
    let workers = (0..<threads).map { thread in
      // The last thread is another connection, if there is one.
      let target: any DatabaseWriter = thread == threads - 1 ? other ?? writer : writer
      return Worker { [rounds, cancels, committed, seed = simulation.program.seed] in
        var random = SeededGenerator(state: seed &+ UInt64(thread))
        for round in 0..<rounds {
          let id = thread * 1000 + round
          try Storm.read(target, committed)
          let isDone = try Storm.write(target, id, cancels: cancels, &random)
          if isDone { committed.insert(id) }
        }
      }
    }
    for worker in workers { try worker.wait() }
    try conclude(writer, other, delivered, errors)
    observation.cancel()
    try simulation.opened.write { db in
      try db.execute(sql: "DELETE FROM storm; UPDATE tally SET count = 0")
    }
  }

  /// Writes in one of several ways.
  /// - Returns: Whether it was committed.
  private static func write(
    _ writer: any DatabaseWriter, _ id: Int, cancels: Bool, _ random: inout SeededGenerator
  ) throws -> Bool {
    let way = random.below(4)
    let delay = UInt64(random.below(400)) * 1000
    do {
      switch way {
      case 0:
        try writer.write { try write($0, id) }
      case 1:
        do {
          try writer.write { db in
            try write(db, id)
            throw Refusal()
          }
        } catch is Refusal {}
        return false
      case 2:
        try writer.barrierWriteWithoutTransaction { db in
          try db.inTransaction {
            try write(db, id)
            return .commit
          }
        }
      default:
        let task = Task { try await writer.write { try write($0, id) } }
        if cancels {
          usleep(UInt32(delay / 1000))
          task.cancel()
        }
        try waitForTask { try await task.value }
      }
      return true
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      return false
    } catch is CancellationError where cancels {
      return false
    }
  }

  private static func read(_ reader: any DatabaseReader, _ committed: Locked<Set<Int>>) throws {
    let least = committed.value.count
    do {
      try reader.read { db in
        let first = try Count.read(db)
        try require(first.rows == first.tally, "a torn transaction: \(first)")
        try require(first.rows >= least, "\(first.rows) rows, after \(least) were committed")
        try require(try Count.read(db) == first, "two states in one read")
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
  }

  /// Compares the rows with the writes that have returned, and with what was observed.
  private func conclude(
    _ writer: any DatabaseWriter, _ other: DatabaseQueue?, _ delivered: Locked<[Count]>,
    _ errors: Locked<[any Error]>
  ) throws {
    let ids = try writer.read { Set(try Int.fetchAll($0, sql: "SELECT id FROM storm")) }
    let expected = committed.value
    try require(
      ids == expected,
      "lost writes \(expected.subtracting(ids)), unknown ones \(ids.subtracting(expected))")
    // A commit of this connection shows those of others, too.
    try writer.write { try Storm.write($0, 999_999) }
    let last = Count(rows: ids.count + 1, tally: ids.count + 1)
    var attempts = 0
    while delivered.value.last != last, errors.value.isEmpty {
      attempts += 1
      try require(attempts < 20_000, "the last of the observed counts isn't \(last)")
      usleep(200)
    }
    if let error = errors.value.first { throw Violation("an observation of counts: \(error)") }
    let counts = delivered.value
    try require(counts.allSatisfy { $0.rows == $0.tally }, "a torn value is observed")
    try require(counts.map(\.rows) == counts.map(\.rows).sorted(), "observed counts go back")
  }
}

extension Locked<Set<Int>> {
  fileprivate func insert(_ id: Int) { update { $0.insert(id) } }
}
