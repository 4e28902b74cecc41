// The ways whose functions Scripts/functions-on-the-way counts: of each what `lastStep` calls. The
// steps before it do what is done only once in a process.
//
//   functions-on-the-way WAY FOLDER    makes its files in FOLDER, which is empty

import Coffer
import Glibc

@inline(never)
func lastStep<Value>(_ step: () throws -> Value) rethrows -> Value { try step() }

struct Player: Codable, PersistableRecord {
  var id: Int64
  var name: String
}

struct Vault {
  let folder = CommandLine.arguments[2]
  var name = "vault.db"
  var configuration = Configuration()

  init() throws { configuration.key = try .raw(Array(repeating: 7, count: 32)) }

  var path: String { folder + "/" + name }

  func open() throws -> DatabaseQueue {
    try DatabaseQueue(path: path, configuration: configuration)
  }

  func create() throws {
    let queue = try open()
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
      try Player(id: 1, name: "Arthur").insert(db)
    }
    try queue.close()
  }

  /// Gives the vault a key slot and an anchor, before it is created.
  mutating func addSlotAndAnchor() throws {
    let secret = KeyUnlocker.file(folder + "/secret")
    umask(0o077)
    let file = fopen(folder + "/secret", "w")
    fputs("0123456789abcdef0123456789abcdef", file)
    fclose(file)
    _ = try KeySlots.create(forDatabaseAt: path, unlocker: secret)
    configuration.key = .slots(unlocker: secret)
    configuration.journalMode = .wal
    configuration.freshness = Freshness(anchor: FileAnchor(path: folder + "/anchor"))
  }
}

var vault = try Vault()
switch CommandLine.arguments[1] {
case "open":
  try vault.create()
  _ = try lastStep(vault.open)
case "open-new":
  try vault.create()
  vault.name = "new.db"
  _ = try lastStep(vault.open)
case "open-guarded":
  try vault.addSlotAndAnchor()
  try vault.create()
  _ = try lastStep(vault.open)
case "read":
  try vault.create()
  let pool = try DatabasePool(path: vault.path, configuration: vault.configuration)
  try pool.read { _ in }
  try lastStep { try pool.read { _ in } }
case "insert":
  try vault.create()
  try vault.open().write { db in
    for id in 2...5 { try Player(id: Int64(id), name: "Ford").insert(db) }
    let player = Player(id: 6, name: "Trillian")
    try lastStep { try player.insert(db) }
  }
default: fatalError("no such way")
}
