import Coffer
import Foundation
import Testing

@Suite("Documents that expire") struct ExpiryTests {
  private typealias Old = EvolvedNotes

  private let encrypted: EncryptedStore

  init() throws { encrypted = try EvolvedNotes().encrypted }

  fileprivate struct Session: Codable, Identifiable, MigratingDocument {
    var id: Int
    var until: Date?
    static var migrationRules: [MigrationRule<Session>] { [.expires(\.until)] }
  }

  @Test func `expired documents are found no more, and deleted when they are to be`() throws {
    let sessions = try encrypted.store.collection(Session.self)
    try sessions.insert([
      Session(id: 1, until: Date(timeIntervalSinceNow: -1000)), Session(id: 2, until: nil),
      Session(id: 3, until: Date(timeIntervalSinceNow: 100_000)),
    ])
    #expect(try sessions.all().orderBy(\.id).fetchMany(\.id) == [2, 3])
    #expect(try sessions.filter(id: 1).fetchOne() == nil)
    #expect(try sessions.filter { $0.id == 1 || $0.id == 2 }.fetchCount() == 1)
    #expect(try sessions.all().includingExpired().fetchCount() == 3)
    #expect(try sessions.all().update(\.until, nil) == 2)
    #expect(try sessions.deleteExpired() == 1)
    #expect(try sessions.deleteExpired() == 0)
    #expect(try sessions.all().includingExpired().orderBy(\.id).fetchMany(\.id) == [2, 3])
    try sessions.save(Session(id: 2, until: Date(timeIntervalSinceNow: -5)))
    #expect(try sessions.filter(id: 2).fetchOne() == nil)
    try sessions.save(Session(id: 2, until: nil))
    #expect(try sessions.filter(id: 2).fetchOne() != nil)
  }

  fileprivate struct Visit: Codable, Identifiable, MigratingDocument {
    var id: Int
    var at: Date
    static var migrationRules: [MigrationRule<Visit>] { [.expires(\.at, after: 3600)] }
  }

  @Test func `documents expire some time after a date`() throws {
    let visits = try encrypted.store.collection(Visit.self)
    try visits.insert([
      Visit(id: 1, at: Date(timeIntervalSinceNow: -7200)), Visit(id: 2, at: Date()),
    ])
    #expect(try visits.all().fetchMany(\.id) == [2])
    #expect(try visits.deleteExpired() == 1)
    let notes = try encrypted.store.collection(Old.Note.self)
    #expect(documentError { try notes.deleteExpired() }?.contains(".expires") == true)
  }

  @Test func `expired documents are deleted asynchronously, too`() async throws {
    let sessions = try await encrypted.store.collection(Session.self)
    try await sessions.insert(Session(id: 1, until: Date(timeIntervalSinceNow: -1000)))
    #expect(try await sessions.deleteExpired() == 1)
  }
}
