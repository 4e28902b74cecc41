import Coffer
import CofferArchive
import CofferTestSupport
import Foundation
import Testing

/// A code block of a document, compiled.
struct Snippet: Sendable, CustomTestStringConvertible {
  let title: String
  let words: Set<String>
  let run: @Sendable (Scene) async throws -> Void

  init(
    _ title: String, _ words: Set<String>,
    _ run: @escaping @Sendable (Scene) async throws -> Void
  ) {
    self.title = title
    self.words = words
    self.run = run
  }

  var testDescription: String { title }
}

/// The folder that a code block works in, with the files that it may use.
final class Scene: Sendable {
  private let folder: TemporaryDirectory
  private static let passphrase = "correct horse battery staple"

  /// Whether this is SQLCipher 4, and built with FTS5.
  static let hasAllOfSQLCipher4 = CipherSettings.default == .sqlcipher4 && Database.engine.hasFTS5

  /// The files of each scene, made once, since passphrases take time.
  private static let template = Result {
    let folder = try TemporaryDirectory()
    folder.staysUntilExit()
    try Scene(folder).makeFiles()
    return folder
  }

  private init(_ folder: TemporaryDirectory) { self.folder = folder }

  convenience init() throws {
    let folder = try TemporaryDirectory()
    let template = try Self.template.get()
    for name in try template.contents() {
      try FileManager.default.copyItem(
        atPath: template.path(name), toPath: folder.path(name))
    }
    self.init(folder)
  }

  /// The path of a file in the folder.
  func file(_ name: String) -> String { folder.path(name) }

  /// An encrypted database with players.
  func queue() throws -> DatabaseQueue {
    try DatabaseQueue(path: file("players.db"), key: .passphrase(Self.passphrase))
  }

  /// An encrypted database with authors and their books.
  func library() throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: file("library.db"), key: .passphrase(Self.passphrase))
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
          CREATE TABLE book (
            id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author,
            title TEXT NOT NULL, year INTEGER);
          INSERT INTO author VALUES (1, 'Melville', 'US'), (2, 'Verne', 'FR');
          INSERT INTO book VALUES (1, 1, 'Moby-Dick', 1851), (2, 2, 'L''Ile', 1875);
          """)
    }
    return queue
  }

  /// A store with books.
  func store() throws -> (DocumentStore, DocumentCollection<Book>) {
    let store = try DocumentStore(path: file("store.db"), key: .file(file("vault.key")))
    let author = Author(name: "Herman Melville")
    try store.collection(Author.self).insert(author)
    let books = try store.collection(Book.self)
    try books.insert([
      Book(title: "Moby-Dick", text: "The white whale", priceCents: 950, authorID: author.id),
      Book(title: "Bartleby", text: "I would prefer not to", authorID: author.id),
    ])
    return (store, books)
  }

  /// An archive of an encrypted database, and the key.
  func archive() throws -> (Archive, DatabaseKey) {
    let key = try DatabaseKey.file(file("vault.key"))
    let pool = try DatabasePool(path: file("archived.db"), key: key)
    try pool.write { try $0.execute(sql: "CREATE TABLE note (text TEXT)") }
    let archive = Archive(FolderDestination(path: file("made.archive")))
    let session = try archive.start(pool)
    try session.archiveNow()
    try session.stop()
    return (archive, key)
  }

  /// Opens a database with a configuration, and uses it.
  func open(_ configuration: Configuration) throws {
    let queue = try DatabaseQueue(path: file("configured.db"), configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE note (text TEXT)") }
    try queue.close()
  }

  /// Makes the files that the documents mention: a plaintext database, one of SQLCipher 3, one with
  /// players, and a key.
  private func makeFiles() throws {
    try makePlayers("plain.db", Configuration())
    var old = Configuration()
    old.key = .passphrase(Self.passphrase)
    old.cipher = .sqlcipher3
    try makePlayers("old.db", old)
    var current = Configuration()
    current.key = .passphrase(Self.passphrase)
    try makePlayers("players.db", current)
    try Data((0..<32).map { UInt8(truncatingIfNeeded: $0 * 7 + 128) }).write(
      to: URL(fileURLWithPath: file("vault.key")))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: file("vault.key"))
  }

  private func makePlayers(_ name: String, _ configuration: Configuration) throws {
    let queue = try DatabaseQueue(path: file(name), configuration: configuration)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE player (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER, photo BLOB);
          INSERT INTO player (name, score) VALUES ('Arthur', 1000), ('Barbara', 2000), ('Craig', NULL)
          """)
    }
    try queue.close()
  }
}

/// The documents in the store of blocks with the word `store`.
struct Author: Codable, Identifiable {
  var id = UUID()
  var name: String
}

struct Publisher: Codable {
  var name = "Bentley"
  var city = "London"
}

struct Book: Codable, Identifiable, MigratingDocument {
  var id = UUID()
  var title: String
  var text = ""
  var priceCents = 1200
  var publisher = Publisher()
  @Index var authorID: UUID

  static var migrationRules: [MigrationRule<Book>] {
    [.fullText(\.title, \.text), .references(\.authorID, Author.self, onDelete: .cascade)]
  }
}
