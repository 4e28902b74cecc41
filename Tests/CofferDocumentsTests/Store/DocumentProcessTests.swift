import Coffer
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

/// The same type as in Tests/Child.
private struct Note: Codable, Identifiable, Sendable, CustomCollectionName {
  static let collectionName = "Note"
  var id: String
  @Index var process: String
  var number: Int
  var tags: [String] = []
}

@Suite("Documents of several processes", .timeLimit(.minutes(15)))
struct DocumentProcessTests {
  private static let hexKey = String(repeating: "5a", count: 32)

  private let directory: TemporaryDirectory
  private var path: String { directory.path("db") }

  init() throws { directory = try TemporaryDirectory() }

  private func store(observing: Bool = false) throws -> DocumentStore {
    var configuration = Configuration()
    configuration.observesExternalChanges = observing
    return try DocumentStore(
      path: path, key: .raw([UInt8](repeating: 0x5A, count: 32)), configuration: configuration)
  }

  private func process(_ scenario: String, _ more: String...) throws -> TestProcess {
    try TestProcess([scenario, path, Self.hexKey] + more)
  }

  @Test func `processes that make a collection at once, and write to it, lose nothing`() throws {
    let names = ["a", "b", "c"]
    let processes = try names.map { try process("documents", $0, "60") }
    // This process is a fourth one.
    let notes = try store().collection(Note.self)
    for number in 0..<60 {
      try notes.insert(Note(id: "here-\(number)", process: "here", number: number))
    }
    for process in processes {
      let end = process.finish()
      #expect(end.status == 0, "\(end.error)")
      #expect(end.lines == ["ready", "done"])
    }
    for name in names + ["here"] {
      let numbers = try notes.filter(\.process, equalTo: name).orderBy(\.number).fetchMany(\.number)
      #expect(numbers == Array(0..<60))
    }
    #expect(try notes.all().fetchCount() == 240)
    #expect(
      try notes.store.execute([String].self, "SELECT name FROM sqlite_master ORDER BY name")
        == ["Note", "Note-index-process", "Note-unique-id"])
    #expect(try notes.store.execute(String.self, "PRAGMA integrity_check") == "ok")
  }

  @Test func `a process that is killed loses no stored batch, and leaves no part of one`() throws {
    var stored = 0
    for round in 1...4 {
      let process = try process("documents-forever", "k")
      for _ in 0..<(3 * round) { _ = process.readLine() }
      let last = process.kill().last ?? "stored \(30 * round)"
      stored = max(stored, Int(last.dropFirst(7)) ?? .max)
      let notes = try store().collection(Note.self)
      let count = try notes.all().fetchCount()
      #expect(count >= stored && count % 10 == 0)
      #expect(try notes.all().orderBy(\.number).fetchMany(\.number) == Array(0..<count))
    }
  }

  @Test func `documents of another process are observed`() throws {
    let store = try store(observing: true)
    let notes = try store.collection(Note.self)
    let counts = Mutex<[Int]>([])
    let arrived = DispatchSemaphore(value: 0)
    let cancellable = notes.filter(\.process, equalTo: "x").observationOfCount()
      .start(in: store.writer, scheduling: .async(onQueue: DispatchQueue(label: "counts"))) { _ in
      } onChange: { count in
        counts.withLock { $0.append(count) }
        if count == 9 { arrived.signal() }
      }
    let process = try process("documents", "x", "9")
    arrived.wait()
    cancellable.cancel()
    #expect(process.finish().status == 0)
    let all = counts.withLock(\.self)
    #expect(all == all.sorted() && Set(all).count == all.count)
  }

  @Test func `a process with a wrong key changes nothing`() throws {
    let notes = try store().collection(Note.self)
    try notes.insert(Note(id: "1", process: "here", number: 1))
    let end = try TestProcess.run(
      ["documents", path, String(repeating: "00", count: 32), "w", "1"])
    #expect(end.status == 1)
    #expect(end.error.contains("key"))
    #expect(try notes.all().fetchMany(\.id) == ["1"])
  }
}
