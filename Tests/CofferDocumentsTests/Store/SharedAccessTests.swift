import Coffer
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("Accesses that documents share") struct SharedAccessTests {
  fileprivate typealias Note = EncryptedStore.Note

  fileprivate struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
  }

  private static let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `documents, records and SQL share a transaction`(_ kind: EncryptedDatabase.Kind) throws {
    let encrypted = try EncryptedStore(kind, Self.schema)
    let notes = try encrypted.store.collection(Note.self)
    func change(_ db: Database) throws {
      try notes.insert(Note(id: 1, text: "one"))
      try Player(id: 1, name: "Arthur").insert(db)
      #expect(try notes.filter(id: 1).fetchOne()?.text == "one")
      #expect(try notes.all().fetchCount() == 1)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM Note") == 1)
    }
    #expect(throws: TestError.self) {
      try encrypted.database.writer.write { db in
        try change(db)
        throw TestError()
      }
    }
    #expect(try notes.all().fetchCount() == 0)
    try encrypted.database.writer.write { try change($0) }
    #expect(try notes.all().fetchCount() == 1)
    #expect(try encrypted.database.writer.read { try Player.fetchCount($0) } == 1)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an access that reads refuses changes`(_ kind: EncryptedDatabase.Kind) throws {
    let encrypted = try EncryptedStore(kind)
    let notes = try encrypted.store.collection(Note.self)
    try notes.insert(Note(id: 1, text: "one"))
    try encrypted.store.read { _ throws in
      #expect(try notes.all().fetchCount() == 1)
      #expect(
        databaseError { try notes.insert(Note(id: 2, text: "")) }?.resultCode == .SQLITE_READONLY)
      #expect(databaseError { try notes.all().delete() }?.resultCode == .SQLITE_READONLY)
      #expect(
        databaseError { try notes.save([Note(id: 1, text: "x")]) }?.resultCode == .SQLITE_READONLY)
    }
    #expect(try notes.all().fetchMany() == [Note(id: 1, text: "one")])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an inner transaction is rolled back alone`(_ kind: EncryptedDatabase.Kind) throws {
    let encrypted = try EncryptedStore(kind)
    defer { withExtendedLifetime(encrypted) {} }
    let store = encrypted.store
    let notes = try store.collection(Note.self)
    let count = try store.transaction {
      try notes.insert(Note(id: 1, text: "outer"))
      #expect(throws: TestError.self) {
        try store.transaction {
          try notes.insert(Note(id: 2, text: "inner"))
          throw TestError()
        }
      }
      try store.write { _ in try notes.insert(Note(id: 3, text: "inner")) }
      return try notes.all().fetchCount()
    }
    #expect(count == 2)
    #expect(try notes.all().orderBy(\.id).fetchMany(\.id) == [1, 3])
    #expect(throws: TestError.self) {
      try store.transaction {
        try notes.all().delete()
        throw TestError()
      }
    }
    #expect(try notes.all().fetchCount() == 2)
  }

  @Test func `a writer that forwards to another is recognized`() throws {
    let encrypted = try EncryptedPool()
    let store = DocumentStore(AnyDatabaseWriter(encrypted.pool))
    let notes = try store.collection(Note.self)
    try encrypted.pool.write { db in
      try notes.insert(Note(id: 1, text: "one"))
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM Note") == 1)
    }
    #expect(try notes.all().fetchCount() == 1)
  }

  @Test func `an access to another database isn't one to this one`() throws {
    let (one, two) = (try EncryptedStore(.queue), try EncryptedStore(.queue))
    let (first, second) = (try one.store.collection(Note.self), try two.store.collection(Note.self))
    #expect(throws: TestError.self) {
      try one.store.transaction {
        try first.insert(Note(id: 1, text: ""))
        try second.insert(Note(id: 2, text: ""))
        throw TestError()
      }
    }
    #expect(try first.all().fetchCount() == 0)
    #expect(try second.all().fetchMany(\.id) == [2])
  }

  @Test func `readers of a pool don't wait for a transaction`() throws {
    let encrypted = try EncryptedStore(.pool)
    defer { withExtendedLifetime(encrypted) {} }
    let store = encrypted.store
    let notes = try store.collection(Note.self)
    try notes.insert(Note(id: 1, text: "before"))
    let isWritten = DispatchSemaphore(value: 0)
    let isRead = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    detachThread(group: group) {
      try? store.transaction {
        try notes.filter(id: 1).update(\.text, "after")
        isWritten.signal()
        isRead.wait()
      }
    }
    isWritten.wait()
    #expect(try notes.filter(id: 1).fetchOne()?.text == "before")
    isRead.signal()
    group.wait()
    #expect(try notes.filter(id: 1).fetchOne()?.text == "after")
  }

  @Test(.timeLimit(.minutes(15)), arguments: EncryptedDatabase.Kind.allCases)
  func `eight threads insert and read, and nothing is lost`(
    _ kind: EncryptedDatabase.Kind
  ) throws {
    let encrypted = try EncryptedStore(kind)
    defer { withExtendedLifetime(encrypted) {} }
    let store = encrypted.store
    let failures = Mutex<[String]>([])
    let group = DispatchGroup()
    for thread in 0..<8 {
      detachThread(group: group) {
        do {
          // The first thread makes the table.
          let notes = try store.collection(Note.self)
          for index in 0..<50 {
            let id = thread * 1000 + index
            if index % 10 == 0 {
              try notes.insert([Note(id: id, text: "batch"), Note(id: id + 500, text: "batch")])
            } else {
              try notes.insert(Note(id: id, text: "single"))
            }
            guard try notes.filter(id: id).fetchOne() != nil,
              try notes.filter(\.id, equalTo: id).fetchCount() == 1
            else { throw TestError() }
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
    }
    group.wait()
    #expect(failures.withLock { $0 } == [])
    let notes = try store.collection(Note.self)
    let ids = try notes.all().fetchMany(\.id)
    #expect(ids.count == 8 * 55)
    #expect(Set(ids).count == ids.count)
  }

  // MARK: Async

  @Test(.timeLimit(.minutes(15)), arguments: EncryptedDatabase.Kind.allCases)
  func `everything has an asynchronous form`(_ kind: EncryptedDatabase.Kind) async throws {
    let encrypted = try EncryptedStore(kind)
    defer { withExtendedLifetime(encrypted) {} }
    let store = encrypted.store
    let notes = try await store.collection(Note.self)
    try await notes.insert(Note(id: 1, text: "one"))
    try await notes.insert([Note(id: 2, text: "two"), Note(id: 3, text: "three")])
    try await notes.save(Note(id: 2, text: "zwei"))
    try await notes.save([Note(id: 3, text: "drei"), Note(id: 4, text: "vier")])
    #expect(try await notes.filter(id: 2).fetchOne()?.text == "zwei")
    #expect(try await notes.all().fetchCount() == 4)
    #expect(try await notes.all().orderBy(\.id).fetchMany().map(\.id) == [1, 2, 3, 4])
    #expect(try await notes.all().orderBy(\.id).fetchMany(\.text).last == "vier")
    #expect(try await notes.filter(id: 1).fetchOne(\.text) == "one")
    #expect(try await notes.filter(id: 1).update(\.text, "eins") == 1)
    #expect(try await notes.all().update("\(\.text) = upper(\(\.text))") == 4)
    #expect(try await notes.filter { $0.id > 3 }.delete() == 1)
    try await store.transaction {
      try notes.insert(Note(id: 9, text: "nine"))
      #expect(try notes.all().fetchCount() == 4)
    }
    let texts = try await store.execute([String].self, "SELECT text FROM Note ORDER BY id")
    #expect(texts == ["EINS", "ZWEI", "DREI", "nine"])
    try await store.execute("DELETE FROM \(notes)")
    #expect(try await store.read { _ in try notes.all().fetchCount() } == 0)
    try await store.write { _ in try notes.insert(Note(id: 1, text: "")) }
    try await notes.migrate()
    #expect(try await notes.all().fetchCount() == 1)
  }

  @Test(.timeLimit(.minutes(15)))
  func `a cancelled transaction is rolled back`() async throws {
    let encrypted = try EncryptedStore(.pool)
    defer { withExtendedLifetime(encrypted) {} }
    let store = encrypted.store
    let notes = try store.syncCollection(Note.self)
    let isInside = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    let task = Task {
      try await store.transaction {
        try notes.insert(Note(id: 1, text: "one"))
        isInside.signal()
        mayGoOn.wait()
      }
    }
    await withCheckedContinuation { continuation in
      detachThread {
        isInside.wait()
        continuation.resume()
      }
    }
    task.cancel()
    mayGoOn.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await notes.all().fetchCount() == 0)
  }
}

extension DocumentStore {
  /// For async functions, in which the asynchronous form would be chosen.
  fileprivate func syncCollection<Document: Codable>(
    _ type: Document.Type
  ) throws -> DocumentCollection<Document> {
    try collection(type)
  }
}
