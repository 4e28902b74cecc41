// swift-format-ignore-file
// Written by Scripts/extract-snippets from the documents. Change those, and run it again.

import Coffer
import Foundation

let snippets: [Snippet] = [
  Snippet("README.md, Use it, 2", [], snippet1),
  Snippet("README.md, Use it, 3", ["queue"], snippet2),
  Snippet("README.md, Keys, 1", [], snippet3),
  Snippet("README.md, Queries, 1", ["db"], snippet4),
  Snippet("README.md, Queries, 2", ["db"], snippet5),
  Snippet("README.md, Queries, 3", ["db"], snippet6),
  Snippet("README.md, Errors, 1", [], snippet7),
]

// The blocks print to nowhere.
private func print(_ items: Any...) {}

// README.md, Use it, 2
private func snippet1(_ scene: Scene) throws {
  let file = scene.file
  let queue = try DatabaseQueue(path: file("vault.db"), key: .passphrase("correct horse battery staple"))

  try queue.write { db in
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS player (
          id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER)
        """)
    try db.execute(
      sql: "INSERT INTO player (name, score) VALUES (:name, :score)",
      arguments: ["name": "Arthur", "score": 1000])
  }

  let names = try queue.read { db in
    try String.fetchAll(db, sql: "SELECT name FROM player WHERE score >= ?", arguments: [500])
  }
  print(names)
  _ = queue
  _ = names
}

// README.md, Use it, 3
private func snippet2(_ scene: Scene) async throws {
  let queue = try scene.queue()
  let count = try await queue.read { db in
    try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
  }
  _ = count
}

// README.md, Keys, 1
private func snippet3(_ scene: Scene) throws {
  let file = scene.file
  let passphrase = DatabaseKey.passphrase("correct horse battery staple")
  let random = DatabaseKey.random()  // 32 bytes; store them, or the data is lost with them
  let fromFile = try DatabaseKey.file(file("vault.key"))

  var configuration = Configuration()
  configuration.key = fromFile
  configuration.journalMode = .wal
  let queue = try DatabaseQueue(path: file("vault.db"), configuration: configuration)
  try queue.changeKey(to: passphrase)
  _ = passphrase
  _ = random
  _ = fromFile
  _ = configuration
  _ = queue
}

// README.md, Queries, 1
private func snippet4(_ scene: Scene) throws {
  try scene.queue().write { db in
    let names: Set = ["Arthur", "Barbara"]
    let rows = try Row.fetchAll(
      db, sql: "SELECT * FROM player WHERE name IN (:names) AND score > :score",
      arguments: ["names": names, "score": 500])

    let ids = try Int64.fetchAll(
      db, sql: "SELECT id FROM player WHERE id NOT IN (?)", arguments: [[1, 2, 3]])
    _ = names
    _ = rows
    _ = ids
  }
}

// README.md, Queries, 2
private func snippet5(_ scene: Scene) throws {
  try scene.queue().write { db in
    let score = 1000
    let names = ["Arthur", "Barbara"]
    let request: SQLRequest<String> = """
      SELECT name FROM player WHERE score >= \(score) OR name IN \(names)
      """
    let found = try request.fetchAll(db)
    _ = score
    _ = names
    _ = request
    _ = found
  }
}

// README.md, Queries, 3
private func snippet6(_ scene: Scene) throws {
  try scene.queue().write { db in
    let rows = try Row.fetchCursor(db, sql: "SELECT id, name, score, photo FROM player")
    while let row = try rows.next() {
      let id: Int64 = row["id"]
      let score: Int? = row["score"]
      let length = row.withUTF8(at: 1) { name in name?.count ?? 0 }
      print(id, score ?? 0, length)
    }
    _ = rows
  }
}

// README.md, Errors, 1
private func snippet7(_ scene: Scene) throws {
  let file = scene.file
  do {
    let queue = try DatabaseQueue(path: file("old.db"), key: .passphrase("incorrect"))
    try queue.close()
  } catch let error as DatabaseError {
    switch error.cipherDiagnosis {
    case .wrongKey: print("Try another passphrase.")
    case .keyRequired, .notEncrypted: print("A key where none is needed, or none where one is.")
    case .olderFormat(let settings): print("The key is right; the file is one of \(settings).")
    case .damaged(let pages): print("The key is right; pages \(pages) are damaged.")
    default: print(error)  // what is wrong, and what to do next
    }
  }
}
