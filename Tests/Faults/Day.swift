import CRecorder
import Coffer
import Foundation
import Glibc
import Synchronization

/// A daemon's day: what a process holds must be the same in the evening as in the morning.
///
/// A second of the day is a commit. Every ten seconds several readers read, every minute a document
/// is saved and queried and a prepared list of values is looked up, every five minutes another
/// connection comes and goes, and every hour old rows are deleted, the file is backed up, and a
/// slot of the key changes. An observation runs all day.
enum Day {
  /// What the process and its files hold.
  struct Holdings {
    var descriptors = 0
    var threads = 0
    /// The bytes that were allocated and not freed.
    var memory = 0
    /// The bytes of memory that the system counts.
    var resident = 0
    var log = 0
    var file = 0

    init(_ folder: Folder) throws {
      descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
      memory = coffer_allocated_bytes()
      let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      resident = (status.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
      log = Self.size(folder.database + "-wal")
      file = Self.size(folder.database)
    }

    private static func size(_ path: String) -> Int {
      (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    typealias Quantity = (name: String, value: KeyPath<Holdings, Int>, slack: Int)

    static var quantities: [Quantity] {
      [
        ("descriptors", \.descriptors, 1), ("threads", \.threads, 4),
        ("allocated bytes", \.memory, 256 << 10), ("resident bytes", \.resident, 4 << 20),
        ("bytes of the log", \.log, 256 << 10), ("bytes of the file", \.file, 256 << 10),
      ]
    }
  }

  struct Reading: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "reading"
    var id: Int
    var sensor: Int
    var value: Double
    var note: String
  }

  struct Note: Codable, Identifiable {
    var id: Int
    var text: String
    var tags: [String]
  }

  /// Runs the hours, and returns what has grown.
  static func run(hours: Int, say: (String) -> Void) throws -> [String] {
    try Files.withFolder { path in
      let folder = Folder(path: path)
      let daemon = try Daemon(folder)
      var holdings: [Holdings] = []
      for hour in 0..<hours {
        for minute in 0..<60 { try daemon.minute(hour * 60 + minute) }
        try daemon.endHour(hour)
        let now = try Holdings(folder)
        holdings.append(now)
        let values = Holdings.quantities.map { "\(now[keyPath: $0.value]) \($0.name)" }
        say("hour \(hour + 1): " + values.joined(separator: ", "))
      }
      try daemon.end()
      return growth(holdings)
    }
  }

  /// Compares the second half of the day with the first, without its first two hours.
  private static func growth(_ holdings: [Holdings]) -> [String] {
    let (morning, evening) = (
      holdings[2..<(holdings.count / 2)], holdings[(holdings.count / 2)...]
    )
    return Holdings.quantities.compactMap { name, value, slack in
      let before = morning.map { $0[keyPath: value] }.max() ?? 0
      let after = evening.map { $0[keyPath: value] }.min() ?? 0
      return after > before + slack ? "\(name) have grown from \(before) to \(after)" : nil
    }
  }

  /// The process whose day it is.
  final class Daemon {
    private let folder: Folder
    private let pool: DatabasePool
    private let store: DocumentStore
    private let notes: DocumentCollection<Note>
    private let observation: AnyDatabaseCancellable
    private let observed = Counter()
    private let slots: KeySlots
    private var unlocker: KeyUnlocker

    init(_ folder: Folder) throws {
      self.folder = folder
      unlocker = try Self.unlocker(folder, hour: 0)
      slots = try KeySlots.create(
        forDatabaseAt: folder.database, unlocker: unlocker)
      pool = try DatabasePool(path: folder.database, key: .slots(unlocker: unlocker))
      try pool.write { db in
        try db.create(table: "reading") { t in
          t.primaryKey("id", .integer)
          t.column("sensor", .integer).notNull().indexed()
          t.column("value", .double).notNull()
          t.column("note", .text).notNull()
        }
      }
      store = try DocumentStore(path: folder.file("notes.db"), key: key(7))
      notes = try store.collection(Note.self)
      observation = ValueObservation.tracking { try Reading.fetchCount($0) }
        .start(in: pool, scheduling: .async(onQueue: .global())) { _ in
        } onChange: { [observed] in
          observed.set($0)
        }
    }

    /// A key file, which needs no derivation.
    private static func unlocker(_ folder: Folder, hour: Int) throws -> KeyUnlocker {
      let path = folder.file("key-\(hour % 2)")
      try Data((0..<32).map { UInt8($0 ^ hour) }).write(to: URL(fileURLWithPath: path))
      chmod(path, 0o600)
      return .file(path)
    }

    func minute(_ minute: Int) throws {
      for second in (minute * 60)..<(minute * 60 + 60) {
        let reading = Reading(
          id: second + 1, sensor: second % 50, value: Double(second) / 7, note: "at \(second)")
        try pool.write { try reading.insert($0) }
        if second % 10 == 0 { try read(second) }
      }
      try notes.save(Note(id: minute % 200, text: "minute \(minute)", tags: ["a", "b"]))
      let sensors = (0..<(minute % 20)).map { $0 }
      _ = try pool.read { db in
        try Reading.filter(sensors.contains(Column("sensor"))).limit(10).fetchAll(db)
      }
      guard minute % 5 == 0 else { return }
      let other = try DatabaseQueue(path: folder.database, key: .slots(unlocker: unlocker))
      _ = try other.read { try Reading.fetchCount($0) }
      try other.close()
    }

    private func read(_ second: Int) throws {
      let (pool, failures) = (pool, Counter())
      DispatchQueue.concurrentPerform(iterations: 3) { reader in
        do {
          _ = try pool.read { db in
            try Reading.filter { $0.sensor == second % 50 + reader }.fetchAll(db).count
          }
        } catch {
          failures.set(1)
        }
      }
      try require(failures.value == 0, "a read has failed")
    }

    func endHour(_ hour: Int) throws {
      let now = (hour + 1) * 3600
      try pool.write { db in
        _ = try Reading.filter { $0.id <= now - 7200 }.deleteAll(db)
      }
      let copy = folder.file("copy.db")
      try pool.backup(toPath: copy)
      for name in try Files.names(in: folder.path) where name.hasPrefix("copy.db") {
        try FileManager.default.removeItem(atPath: folder.file(name))
      }
      let next = try Self.unlocker(folder, hour: hour + 1)
      try slots.change(nil, to: next, authorizedBy: unlocker)
      unlocker = next
    }

    func end() throws {
      let count = try pool.read { try Reading.fetchCount($0) }
      for _ in 0..<500 where observed.value != count { usleep(10_000) }
      try require(observed.value == count, "the observation has \(observed.value), not \(count)")
      observation.cancel()
      try pool.close()
      try store.close()
    }
  }

  /// A number that threads share.
  final class Counter: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    func set(_ value: Int) { number.withLock { $0 = value } }
  }
}
