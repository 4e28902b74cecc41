import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// A destination that calls a closure before each call, which may throw, wait or use the database.
final class HookedDestination: ArchiveDestination {
  typealias Hook = @Sendable (_ call: String, _ name: String) throws -> Void

  let base: any ArchiveDestination
  private let hook = Mutex<Hook>({ _, _ in })
  private let after = Mutex<Hook>({ _, _ in })

  init(_ base: any ArchiveDestination) { self.base = base }

  /// Sets what is called before each call.
  func before(_ hook: @escaping Hook) { self.hook.withLock { $0 = hook } }
  /// Sets what is called after an object was stored.
  func after(_ hook: @escaping Hook) { self.after.withLock { $0 = hook } }
  func unhook() {
    before { _, _ in }
    after { _, _ in }
  }

  private func call(_ call: String, _ name: String) throws {
    let hook = hook.withLock { $0 }
    try hook(call, name)
  }

  func putIfAbsent(_ name: String, _ bytes: Data) throws -> Bool {
    try call("put", name)
    let isStored = try base.putIfAbsent(name, bytes)
    let after = after.withLock { $0 }
    try after("put", name)
    return isStored
  }

  func get(_ name: String) throws -> Data? {
    try call("get", name)
    return try base.get(name)
  }

  func list(_ prefix: String) throws -> [String] {
    try call("list", prefix)
    return try base.list(prefix)
  }

  func delete(_ name: String) throws {
    try call("delete", name)
    try base.delete(name)
  }
}

/// A flag that is set once.
final class Once: Sendable {
  private let isDone = Atomic(false)
  /// Whether this is the first call.
  func first() -> Bool { !isDone.exchange(true, ordering: .relaxed) }
}

extension ArchiveFixture {
  static func archived(
    _ fixture: ArchiveFixture, to destination: any ArchiveDestination,
    _ change: (inout ArchiveConfiguration) -> Void = { _ in }
  ) -> Archive {
    var configuration = fixture.configuration
    change(&configuration)
    return Archive(destination, configuration: configuration)
  }

  /// What the writer keeps beside the database.
  var statePath: String { path + "-archive" }

  func state() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: statePath)) }

  /// Puts an older state back, as a power cut or a full disk would leave it.
  func setState(_ bytes: Data) throws {
    let file = try #require(FileHandle(forWritingAtPath: statePath))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: bytes)
    try file.close()
  }

  /// The layers of a level.
  func layers(_ level: Int) throws -> [Manifest.Layer] {
    try manifest().layers.filter { $0.level == level }
  }

  /// Checks that each commit of which the content is known can be restored.
  func checkContents(_ location: SourceLocation = #_sourceLocation) throws {
    for (number, content) in contents.sorted(by: { $0.key < $1.key }) {
      do {
        let restored = try restored(.commit(number))
        #expect(restored.content == content, "commit \(number)", sourceLocation: location)
        #expect(restored.commit.number == number, sourceLocation: location)
      } catch {
        Issue.record("commit \(number): \(error)", sourceLocation: location)
      }
    }
  }

  /// Rows that are each on a page of their own, whose values commits set.
  func makeWideRows(_ count: Int) throws {
    try pool.write { db in
      for id in 1...count {
        try db.execute(
          sql: "INSERT INTO item (id, text, data) VALUES (?, '0', randomblob(3000))",
          arguments: [id])
      }
    }
  }

  /// Sets the values of rows in one commit.
  func set(_ rows: [Int], _ value: Int) throws {
    try pool.write { db in
      for row in rows {
        try db.execute(sql: "UPDATE item SET text = ? WHERE id = ?", arguments: ["\(value)", row])
      }
    }
  }
}

extension ArchiveSession {
  private func member<Member>(_ type: Member.Type) -> Member? {
    Mirror(reflecting: self).children.lazy.compactMap { $0.value as? Member }.first
  }

  /// What reads the log for the session.
  var capture: CommitCapture? { member(ArchiveWork.self)?.capture }

  /// Does what the session does after its interval, layers and prunes among it.
  func workNow() throws {
    guard let work = member(ArchiveWork.self), let queue = member(DispatchQueue.self) else {
      return
    }
    try queue.sync { try work.work() }
  }
}

extension ArchiveFixture {
  /// Archives with all that is due, and notes what the database has.
  @discardableResult
  func archiveAll(_ session: ArchiveSession) throws -> UInt64 {
    try session.workNow()
    return try archiveNow(session)
  }
}
