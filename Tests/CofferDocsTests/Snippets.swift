// swift-format-ignore-file
// Written by Scripts/extract-snippets from the documents. Change those, and run it again.

import Coffer
import CofferArchive
import Foundation

let snippets: [Snippet] = [
  Snippet("Docs/Archive.md, Use it, 1", [], snippet1),
  Snippet("Docs/Archive.md, Use it, 2", ["archive"], snippet2),
  Snippet("Docs/Archive.md, Use it, 3", ["archive"], snippet3),
  Snippet("Docs/Archive.md, Use it, 4", [], snippet4),
  Snippet("Docs/Archive.md, Follow it, 1", ["archive"], snippet5),
  Snippet("Docs/Archive.md, One writer, 1", [], snippet6),
  Snippet("Docs/EasyDBCompatibility.md, EasyDB compatibility, 1", [], snippet7),
  Snippet("Docs/EasyDBCompatibility.md, Moving, 1", [], snippet8),
  Snippet("Docs/EasyDBCompatibility.md, What is beyond, 1", ["store"], snippet9),
  Snippet("Docs/EasyDBCompatibility.md, Observation, 1", ["store"], snippet10),
  Snippet("Docs/EasyDBCompatibility.md, Full-text search, 1", ["store"], snippet11),
  Snippet("Docs/EasyDBCompatibility.md, Full-text search, 2", ["store", "sqlcipher4"], snippet12),
  Snippet("Docs/EasyDBCompatibility.md, References, 1", ["store"], snippet13),
  Snippet("Docs/EasyDBCompatibility.md, More queries, 1", ["store"], snippet14),
  Snippet("Docs/EasyDBCompatibility.md, More queries, 2", [], snippet15),
  Snippet("Docs/EasyDBCompatibility.md, More queries, 3", ["store"], snippet16),
  Snippet("Docs/EasyDBCompatibility.md, More queries, 4", ["store"], snippet17),
  Snippet("Docs/EasyDBCompatibility.md, More queries, 5", ["store"], snippet18),
  Snippet("Docs/EasyDBCompatibility.md, More queries, 6", [], snippet19),
  Snippet("Docs/EasyDBCompatibility.md, Migrations by rules, 1", [], snippet20),
  Snippet("Docs/EasyDBCompatibility.md, Migrations by rules, 2", ["store"], snippet21),
  Snippet("Docs/EasyDBCompatibility.md, Documents that expire, 1", [], snippet22),
  Snippet("Docs/EasyDBCompatibility.md, Tables, records and SQL, 1", ["queue"], snippet23),
  Snippet("Docs/EasyDBCompatibility.md, Identifiers that cost nothing, 1", [], snippet24),
  Snippet("Docs/Encryption.md, Keys, 1", [], snippet25),
  Snippet("Docs/Encryption.md, Opening, 1", [], snippet26),
  Snippet("Docs/Encryption.md, Opening, 2", ["configuration"], snippet27),
  Snippet("Docs/Encryption.md, Settings, 1", [], snippet28),
  Snippet("Docs/Encryption.md, The cipher provider, 1", [], snippet29),
  Snippet("Docs/Encryption.md, Pages ahead of a scan, or of a write, 1", [], snippet30),
  Snippet("Docs/Encryption.md, Why a file doesn't open, 1", ["throws"], snippet31),
  Snippet("Docs/Encryption.md, Why a file doesn't open, 2", [], snippet32),
  Snippet("Docs/Encryption.md, Why a file doesn't open, 3", ["queue"], snippet33),
  Snippet("Docs/Encryption.md, Damaged files, 1", [], snippet34),
  Snippet("Docs/Encryption.md, Changing the key, 1", ["queue"], snippet35),
  Snippet("Docs/Encryption.md, Key slots, 1", [], snippet36),
  Snippet("Docs/Encryption.md, Key slots, 2", ["queue"], snippet37),
  Snippet("Docs/Encryption.md, Whole files, 1", [], snippet38),
  Snippet("Docs/Encryption.md, Whole files, 2", [], snippet39),
  Snippet("Docs/Encryption.md, From SQLCipher 3 to 4, 1", [], snippet40),
  Snippet("Docs/Encryption.md, Backups, 1", ["queue"], snippet41),
  Snippet("Docs/Encryption.md, Attached files, 1", ["queue"], snippet42),
  Snippet("Docs/Encryption.md, Values with a key of their own, 1", [], snippet43),
  Snippet("Docs/GRDBCompatibility.md, Moving, 1", [], snippet44),
  Snippet("Docs/GRDBCompatibility.md, What differs, 1", ["db"], snippet45),
  Snippet("Docs/Performance.md, Memory, 1", [], snippet46),
  Snippet("Docs/Security.md, Old versions, 1", [], snippet47),
]

// The blocks print to nowhere.
private func print(_ items: Any...) {}

// Docs/Archive.md, Use it, 1
private func snippet1(_ scene: Scene) throws {
  let pool = try DatabasePool(path: scene.file("vault.db"), key: .file(scene.file("vault.key")))
  let archive = Archive(FolderDestination(path: scene.file("vault.archive")))  // on another disk
  let session = try archive.start(pool)

  try pool.write { db in
    try db.execute(sql: "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('first')")
  }
  let commit = try session.archiveNow()  // or wait a second
  print(commit.number, session.status.lag)

  try session.stop()
  _ = pool
  _ = archive
  _ = session
  _ = commit
}

// Docs/Archive.md, Use it, 2
private func snippet2(_ scene: Scene) throws {
  let (archive, key) = try scene.archive()
  _ = (archive, key)
  try archive.restore(to: scene.file("restored.db"), key: key)
  try archive.restore(to: scene.file("earlier.db"), at: .date(Date()), key: key)
  try archive.restore(to: scene.file("first.db"), at: .commit(1), key: key)
  for range in try archive.list(key: key) {
    print(range.first.number, range.first.date, range.last.number, range.last.date)
  }
}

// Docs/Archive.md, Use it, 3
private func snippet3(_ scene: Scene) throws {
  let (archive, key) = try scene.archive()
  _ = (archive, key)
  let last = try archive.restore(to: scene.file("last.db"), atLeast: [.commit(1)], key: key)
  let found = try archive.verification(atLeast: [.date(last.date)], key: key)
  print(last.number, found.last?.number ?? 0, found.findings)

  let findings = try archive.verify(key: key)  // reads all objects
  print(findings)
  try archive.prune(key: key)                  // a running session does so itself
  _ = last
  _ = found
  _ = findings
}

// Docs/Archive.md, Use it, 4
private func snippet4(_ scene: Scene) throws {
  var configuration = ArchiveConfiguration()
  configuration.interval = .seconds(10)                    // fewer objects, more lag
  configuration.layerIntervals = [.seconds(300), .seconds(3_600), .seconds(86_400)]
  configuration.retention.commits = .seconds(7 * 86_400)   // each commit, for a week
  configuration.snapshotInterval = .seconds(86_400)        // shorter restores, more bytes
  configuration.maximumLogSize = 256 << 20                 // what may wait for a destination
  let archive = Archive(FolderDestination(path: scene.file("vault.archive")), configuration: configuration)
  _ = configuration
  _ = archive
}

// Docs/Archive.md, Follow it, 1
private func snippet5(_ scene: Scene) throws {
  let (archive, key) = try scene.archive()
  _ = (archive, key)
  let follower = try ArchiveFollower(archive, path: scene.file("replica.db"), key: key)
  let notes = try follower.pool.read { db in
    try Int.fetchOne(db, sql: "SELECT count(*) FROM note")
  }
  print(notes ?? 0, follower.lag)
  try follower.close()
  _ = follower
  _ = notes
}

// Docs/Archive.md, One writer, 1
private func snippet6(_ scene: Scene) throws {
  var configuration = ArchiveConfiguration()
  configuration.takesOverWriter = 393_418  // after you have made sure that it is gone
  let archive = Archive(FolderDestination(path: scene.file("vault.archive")), configuration: configuration)
  _ = configuration
  _ = archive
}

// Docs/EasyDBCompatibility.md, EasyDB compatibility, 1
private func snippet7(_ scene: Scene) throws {
  struct Book: Codable, Identifiable {
    var id = UUID()
    @Unique var name: String
    var author: String
    var priceCents: Int
  }

  let store = try DocumentStore(path: scene.file("library.db"), key: .passphrase("correct horse battery staple"))
  let books = try store.collection(Book.self)
  try books.insert(Book(name: "Catch-22", author: "Joseph Heller", priceCents: 1050))
  let cheap = try books.all()
    .filter(\.priceCents, lessThan: 1000)
    .orderBy(\.author, .descending)
    .fetchMany()
  _ = store
  _ = books
  _ = cheap
}

// Docs/EasyDBCompatibility.md, Moving, 1
private func snippet8(_ scene: Scene) throws {
  let key = DatabaseKey.passphrase("correct horse battery staple")
  try DatabaseFile.encrypt(at: scene.file("plain.db"), to: scene.file("books.db"), key: key)
  let store = try DocumentStore(path: scene.file("books.db"), key: key)
  _ = key
  _ = store
}

// Docs/EasyDBCompatibility.md, What is beyond, 1
private func snippet9(_ scene: Scene) async throws {
  let (store, books) = try scene.store()
  _ = (store, books)
  let cheap = try await books.filter { $0.priceCents < 1000 && $0.title.hasPrefix("M") }.fetchMany()
  let far = try await books.filter(\.publisher.city, equalTo: "London").fetchCount()
  try await books.filter(\.title, equalTo: "Moby-Dick").update(\.publisher.city, "New York")
  _ = cheap
  _ = far
}

// Docs/EasyDBCompatibility.md, Observation, 1
private func snippet10(_ scene: Scene) async throws {
  let (store, books) = try scene.store()
  _ = (store, books)
  for try await cheap in books.filter(\.priceCents, lessThan: 1000).values() {
    print(cheap.map(\.title))
    break
  }

  let titles = books.all().observation(\.title)
    .map { titles in titles.sorted() }
    .removeDuplicates()
  let cancellable = titles.start(in: store.writer, scheduling: .task) { error in
    print(error)
  } onChange: { titles in
    print(titles)
  }
  _ = titles
  _ = cancellable
}

// Docs/EasyDBCompatibility.md, Full-text search, 1
private func snippet11(_ scene: Scene) async throws {
  let (store, books) = try scene.store()
  _ = (store, books)
  let found = try await books.matching("white whale").fetchMany()
  let begun = try await books.matching("mob di", .prefixes, in: \.title).fetchMany(\.title)
  _ = found
  _ = begun
}

// Docs/EasyDBCompatibility.md, Full-text search, 2
private func snippet12(_ scene: Scene) async throws {
  let (store, books) = try scene.store()
  _ = (store, books)
  let best = try await books.matching("whale").orderByRelevance().limit(10).fetchMany()
  _ = best
}

// Docs/EasyDBCompatibility.md, References, 1
private func snippet13(_ scene: Scene) async throws {
  let (store, books) = try scene.store()
  _ = (store, books)
  let authors = try await store.collection(Author.self)
  let melville = Author(name: "Herman Melville")
  try await authors.save(melville)
  try await books.insert(Book(title: "Typee", authorID: melville.id))
  try await authors.filter(id: melville.id).delete()  // and his books
  _ = authors
  _ = melville
}

// Docs/EasyDBCompatibility.md, More queries, 1
private func snippet14(_ scene: Scene) async throws {
  let (store, books) = try scene.store()
  _ = (store, books)
  let some = try await books.filter(\.title, in: ["Moby-Dick", "Typee"]).fetchMany()
  let mid = try await books.filter(\.priceCents, between: 500...1000).count()
  let first = try await books.all().orderBy(\.publisher.city, \.title).first()
  let none = try await books.filter(\.title, notIn: ["Moby-Dick"]).isEmpty()
  if let first, let same = try await books.fetch(id: first.id) { try await books.delete(same) }
  _ = some
  _ = mid
  _ = first
  _ = none
}

// Docs/EasyDBCompatibility.md, More queries, 2
private func snippet15(_ scene: Scene) throws {
  struct Article: Codable, Identifiable, Equatable {
    var id = UUID()
    var author: String
    var words: Int
    var tags: [String] = []
    var attributes: [String: String] = [:]
  }

  let store = try DocumentStore.inMemory()
  let articles = try store.collection(Article.self)
  try articles.insert(Article(author: "Ada", words: 800, tags: ["swift"], attributes: ["color": "red"]))

  let tagged = try articles.filter(\.tags, contains: "swift").fetchMany()
  let long = try articles.filter { $0.tags.count > 1 || $0.attributes["color"] == "red" }.fetchMany()

  let words = try articles.filter(\.author, equalTo: "Ada").sum(\.words)
  let (least, most) = (try articles.min(\.words), try articles.max(\.words))
  let authors = try articles.distinct(\.author)
  print(words, least ?? 0, most ?? 0, authors)
  let byAuthor = try articles.all().grouped(by: \.author).sum(\.words)  // [String: Int]
  for (author, words) in try articles.all().fetchMany(\.author, \.words) { print(author, words) }
  _ = store
  _ = articles
  _ = tagged
  _ = long
  _ = words
  _ = 
  _ = authors
  _ = byAuthor
}

// Docs/EasyDBCompatibility.md, More queries, 3
private func snippet16(_ scene: Scene) throws {
  let (store, books) = try scene.store()
  _ = (store, books)
  try store.read { db in
    let cursor = try books.all().fetchCursor(db)
    while let book = try cursor.next() { print(book.title) }
  }
}

// Docs/EasyDBCompatibility.md, More queries, 4
private func snippet17(_ scene: Scene) async throws {
  let (store, books) = try scene.store()
  _ = (store, books)
  for try await batch in books.all().orderBy(\.title).batches(of: 500) {
    for book in batch { print(book.title) }
  }
}

// Docs/EasyDBCompatibility.md, More queries, 5
private func snippet18(_ scene: Scene) async throws {
  let (store, books) = try scene.store()
  _ = (store, books)
  let page = try await books.all().orderBy(\.title).fetchPage(20)
  let next = try await books.all().orderBy(\.title).fetchPage(20, after: page.next)
  _ = page
  _ = next
}

// Docs/EasyDBCompatibility.md, More queries, 6
private func snippet19(_ scene: Scene) async throws {
  struct Chore: Codable, Identifiable, Equatable {
    var id: Int
    var isDone = false
  }

  let chores = try await DocumentStore.inMemory().collection(Chore.self)
  for try await changes in chores.filter(\.isDone, equalTo: false).changes() {
    print(changes.inserted, changes.updated, changes.deleted)
    break
  }
  _ = chores
}

// Docs/EasyDBCompatibility.md, Migrations by rules, 1
private func snippet20(_ scene: Scene) throws {
  struct Note: Codable, MigratingDocument {
    struct Place: Codable {
      var city: String  // was `town`
      var country: String  // is new
    }

    var heading: String  // was `title`
    var author: String  // is new
    var cents: Int  // was a number of euros
    var place: Place?

    static var migrationRules: [MigrationRule<Note>] {
      [
        .renamed("title", to: \.heading), .defaultValue("unknown", for: \.author),
        .renamed("town", to: \.place?.city), .defaultValue("FR", for: \.place?.country),
        .renamed("price", to: \.cents),
        .converted("cents", \.cents, from: Double.self) { Int(($0 * 100).rounded()) },
        .index(\.author, \.heading), .unique(\.heading, \.cents),
      ]
    }
  }

  let store = try DocumentStore.inMemory()
  let notes = try store.collection(Note.self)
  _ = store
  _ = notes
}

// Docs/EasyDBCompatibility.md, Migrations by rules, 2
private func snippet21(_ scene: Scene) async throws {
  let (store, books) = try scene.store()
  _ = (store, books)
  for result in try await books.all().fetchResults() {
    switch result {
    case .success(let book): print(book.title)
    case .failure(let error): print(error.columnName ?? "", error.recordKey ?? .null)
    }
  }
}

// Docs/EasyDBCompatibility.md, Documents that expire, 1
private func snippet22(_ scene: Scene) throws {
  struct Session: Codable, Identifiable, MigratingDocument {
    var id = UUID()
    var created = Date()

    static var migrationRules: [MigrationRule<Session>] { [.expires(\.created, after: 30 * 60)] }
  }

  let sessions = try DocumentStore.inMemory().collection(Session.self)
  try sessions.deleteExpired()
  _ = sessions
}

// Docs/EasyDBCompatibility.md, Tables, records and SQL, 1
private func snippet23(_ scene: Scene) throws {
  let queue = try scene.queue()
  struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var score: Int?
  }

  let players = try DocumentStore(queue).collection(Player.self)
  try queue.write { db in
    try Player(id: 7, name: "Diana", score: 300).insert(db)
    try players.filter(\.name, equalTo: "Diana").update(\.score, 400)
    try db.execute(sql: "UPDATE Player SET name = 'D.' WHERE id = 7")
  }
  _ = players
}

// Docs/EasyDBCompatibility.md, Identifiers that cost nothing, 1
private func snippet24(_ scene: Scene) throws {
  struct Event: Codable, Identifiable {
    var id: UUID
    var name: String

    init(id: UUID = UUID(), name: String) {
      self.id = id
      self.name = name
    }
  }

  let event = Event(name: "start")
  _ = event
}

// Docs/Encryption.md, Keys, 1
private func snippet25(_ scene: Scene) throws {
  let passphrase = DatabaseKey.passphrase("correct horse battery staple")
  let bytes = DatabaseKey.passphrase(bytes: [0x66, 0x00, 0xFF])
  let raw = try DatabaseKey.raw((0..<32).map { UInt8($0) })
  let salted = try DatabaseKey.raw((0..<32).map { UInt8($0) }, salt: (0..<16).map { UInt8($0) })
  let file = try DatabaseKey.file(scene.file("vault.key"))
  let random = DatabaseKey.random()
  _ = passphrase
  _ = bytes
  _ = raw
  _ = salted
  _ = file
  _ = random
}

// Docs/Encryption.md, Opening, 1
private func snippet26(_ scene: Scene) throws {
  var configuration = Configuration()
  configuration.key = try .file(scene.file("vault.key"))
  let queue = try DatabaseQueue(path: scene.file("vault.db"), configuration: configuration)
  _ = configuration
  _ = queue
}

// Docs/Encryption.md, Opening, 2
private func snippet27(_ scene: Scene) throws {
  var configuration = Configuration()
  configuration.prepareDatabase { db in
    try db.usePassphrase("correct horse battery staple")
    try db.execute(sql: "PRAGMA kdf_iter = 64000")
  }
  try scene.open(configuration)
}

// Docs/Encryption.md, Settings, 1
private func snippet28(_ scene: Scene) throws {
  var configuration = Configuration()
  configuration.key = .passphrase("correct horse battery staple")
  configuration.cipher = .sqlcipher3
  let queue = try DatabaseQueue(path: scene.file("old.db"), configuration: configuration)
  _ = configuration
  _ = queue
}

// Docs/Encryption.md, The cipher provider, 1
private func snippet29(_ scene: Scene) throws {
  var configuration = Configuration()
  configuration.key = .passphrase("correct horse battery staple")
  configuration.usesStockCipherProvider = true
  let queue = try DatabaseQueue(path: scene.file("vault.db"), configuration: configuration)
  let description = try queue.read { db in db.cipherProviderDescription }  // "stock: …"
  _ = configuration
  _ = queue
  _ = description
}

// Docs/Encryption.md, Pages ahead of a scan, or of a write, 1
private func snippet30(_ scene: Scene) throws {
  var configuration = Configuration()
  configuration.key = .passphrase("correct horse battery staple")
  configuration.readsAhead = false  // by default true where there is more than one core
  let queue = try DatabaseQueue(path: scene.file("vault.db"), configuration: configuration)
  let statistics = try queue.read { db in db.readAheadStatistics }  // used, encrypted and unused pages
  _ = configuration
  _ = queue
  _ = statistics
}

// Docs/Encryption.md, Why a file doesn't open, 1
private func snippet31(_ scene: Scene) throws {
  let queue = try DatabaseQueue(path: scene.file("vault.db"), key: .passphrase("right"))
  try queue.close()
  let other = try DatabaseQueue(path: scene.file("vault.db"), key: .passphrase("wrong"))
  _ = queue
  _ = other
}

// Docs/Encryption.md, Why a file doesn't open, 2
private func snippet32(_ scene: Scene) throws {
  let inspection = DatabaseFile.inspect(at: scene.file("plain.db"))
  if case .plaintext(let header) = inspection.kind {
    print("not encrypted, pages of \(header.pageSize) bytes")
  }
  _ = inspection
}

// Docs/Encryption.md, Why a file doesn't open, 3
private func snippet33(_ scene: Scene) throws {
  let queue = try scene.queue()
  let damagedPages = try queue.checkCipherIntegrity()
  _ = damagedPages
}

// Docs/Encryption.md, Damaged files, 1
private func snippet34(_ scene: Scene) throws {
  let key = DatabaseKey.passphrase("correct horse battery staple")
  let report = try DatabaseFile.salvage(at: scene.file("players.db"), key: key, to: scene.file("saved.db"))
  if !report.isComplete { print(report) }
  _ = key
  _ = report
}

// Docs/Encryption.md, Changing the key, 1
private func snippet35(_ scene: Scene) throws {
  let queue = try scene.queue()
  try queue.changeKey(to: .passphrase("staple battery horse correct"))
}

// Docs/Encryption.md, Key slots, 1
private func snippet36(_ scene: Scene) throws {
  let passphrase = KeyUnlocker.passphrase("correct horse battery staple")
  let slots = try KeySlots.create(forDatabaseAt: scene.file("vault.db"), unlocker: passphrase, label: "Ada")
  let recovery = try slots.addRecoveryKey(label: "safe", authorizedBy: passphrase)
  print(recovery.text)  // shown once
  let pool = try DatabasePool(path: scene.file("vault.db"), key: .slots(unlocker: passphrase))
  try slots.change(1, to: .passphrase("staple battery"), authorizedBy: .recoveryKey(recovery.text))
  _ = passphrase
  _ = slots
  _ = recovery
  _ = pool
}

// Docs/Encryption.md, Key slots, 2
private func snippet37(_ scene: Scene) throws {
  let queue = try scene.queue()
  try queue.changeKey(to: .slots(unlocker: .passphrase("a new one"), label: "Ada"))
}

// Docs/Encryption.md, Whole files, 1
private func snippet38(_ scene: Scene) throws {
  let key = DatabaseKey.passphrase("correct horse battery staple")
  try DatabaseFile.encrypt(at: scene.file("plain.db"), to: scene.file("encrypted.db"), key: key)
  try DatabaseFile.decrypt(at: scene.file("encrypted.db"), key: key, to: scene.file("readable.db"))
  try DatabaseFile.convert(at: scene.file("old.db"), key: key, from: .sqlcipher3, to: .default)
  _ = key
}

// Docs/Encryption.md, Whole files, 2
private func snippet39(_ scene: Scene) throws {
  let byLength = DatabaseCollation("byLength") { lhs, rhs in
    lhs.count < rhs.count ? .orderedAscending : lhs.count == rhs.count ? .orderedSame : .orderedDescending
  }
  var configuration = Configuration()
  configuration.prepareDatabase { db in db.add(collation: byLength) }
  try DatabaseFile.encrypt(
    at: scene.file("plain.db"), to: scene.file("by-length.db"), key: .passphrase("correct horse battery staple"), configuration: configuration)
  _ = byLength
  _ = configuration
}

// Docs/Encryption.md, From SQLCipher 3 to 4, 1
private func snippet40(_ scene: Scene) throws {
  let key = DatabaseKey.passphrase("correct horse battery staple")
  func openVault() throws -> DatabaseQueue {
    do {
      return try DatabaseQueue(path: scene.file("old.db"), key: key)
    } catch let error as DatabaseError {
      guard case .olderFormat(let settings) = error.cipherDiagnosis else { throw error }
      try DatabaseFile.convert(at: scene.file("old.db"), key: key, from: settings)
      return try DatabaseQueue(path: scene.file("old.db"), key: key)
    }
  }
  let queue = try openVault()
  _ = key
  _ = queue
}

// Docs/Encryption.md, Backups, 1
private func snippet41(_ scene: Scene) throws {
  let queue = try scene.queue()
  try queue.backup(toPath: scene.file("backup.db"))
  try queue.backup(toPath: scene.file("for-a-friend.db"), key: .passphrase("another one"))
  try queue.exportPlaintext(to: scene.file("readable.db"))
}

// Docs/Encryption.md, Attached files, 1
private func snippet42(_ scene: Scene) throws {
  let queue = try scene.queue()
  try queue.inDatabase { db in
    try db.attach(scene.file("archive.db"), as: "archive", key: .passphrase("another one"))
    try db.execute(sql: "CREATE TABLE archive.player AS SELECT * FROM main.player")
    try db.detach("archive")
  }
}

// Docs/Encryption.md, Values with a key of their own, 1
private func snippet43(_ scene: Scene) throws {
  struct Patient: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: UUID
    var name: String
    var diagnosis: EncryptedValue<[String]>
    var insuranceHash: Data
  }

  let key = DatabaseKey.random()  // .file(scene.file("values.key")) in a program
  let cipher = try ValueCipher(key: key)
  let queue = try DatabaseQueue(path: scene.file("vault.db"), key: .passphrase("correct horse battery staple"))
  try queue.write { db in
    try db.create(table: "patient") { t in
      t.primaryKey("id", .blob)
      t.column("name", .text).notNull()
      t.column("diagnosis", .blob).notNull()
      t.column("insuranceHash", .blob).notNull().indexed()
    }
    let id = UUID()
    try Patient(
      id: id, name: "Ada",
      diagnosis: cipher.seal(["measles"], at: Patient.valuePlace(of: \.diagnosis, row: id)),
      insuranceHash: cipher.indexHash(of: "A 123 456", name: "patient.insurance")
    ).insert(db)
  }

  let hash = try cipher.indexHash(of: "A 123 456", name: "patient.insurance")
  let patient = try queue.read { db in try Patient.filter { $0.insuranceHash == hash }.fetchOne(db) }
  if let patient {
    let diagnosis = try cipher.open(patient.diagnosis, at: patient.valuePlace(of: \.diagnosis))
    print(diagnosis)
  }
  _ = key
  _ = cipher
  _ = queue
  _ = hash
  _ = patient
}

// Docs/GRDBCompatibility.md, Moving, 1
private func snippet44(_ scene: Scene) throws {
  var configuration = Configuration()
  configuration.key = .passphrase("correct horse battery staple")
  let dbQueue = try DatabaseQueue(path: scene.file("vault.db"), configuration: configuration)
  _ = configuration
  _ = dbQueue
}

// Docs/GRDBCompatibility.md, What differs, 1
private func snippet45(_ scene: Scene) throws {
  try scene.queue().write { db in
    let statement = try db.makeStatement(sql: "INSERT INTO player (name, score) VALUES (?, ?)")
    for number in 1...100 {
      try statement.execute(values: "Player \(number)", number)
    }
    let statistics = db.statementCacheStatistics
    _ = statement
    _ = statistics
  }
}

// Docs/Performance.md, Memory, 1
private func snippet46(_ scene: Scene) throws {
  func memoryPressureBegan(in pool: DatabasePool) {
    pool.releaseMemoryEventually()
  }
}

// Docs/Security.md, Old versions, 1
private func snippet47(_ scene: Scene) throws {
  var configuration = Configuration()
  configuration.key = .passphrase("correct horse battery staple")
  configuration.freshness = Freshness(anchor: FileAnchor(path: scene.file("vault.anchor")))  // elsewhere
  let queue = try DatabaseQueue(path: scene.file("vault.db"), configuration: configuration)
  _ = configuration
  _ = queue
}
