// Files for other programs to open, and theirs to open here:
//
//   CofferTestChild interop make FOLDER
//   CofferTestChild interop check FOLDER ROWS
//
// The names end with the generation whose settings the file has: raw-3.db, raw-4.db.
// Scripts/check-interop knows the keys.

import CofferCore
import Foundation

private struct InteropFile {
  var name: String
  var key: DatabaseKey
  var journalMode = "DELETE"

  static func all() throws -> [InteropFile] {
    let raw = [UInt8](0xC0..<0xE0)
    return [
      InteropFile(name: "passphrase", key: .passphrase("correct horse battery staple")),
      InteropFile(name: "odd", key: .passphrase("it's \"quoted\" \u{E9}")),
      InteropFile(name: "raw", key: try .raw(raw)),
      InteropFile(name: "salted", key: try .raw(raw, salt: [UInt8](0xA0..<0xB0))),
      InteropFile(
        name: "wal", key: .passphrase("correct horse battery staple"), journalMode: "WAL"),
    ]
  }

  func open(_ path: String, generation: Int) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.key = key
    configuration.cipher = generation == 3 ? .sqlcipher3 : .sqlcipher4
    return try DatabaseQueue(path: path, configuration: configuration)
  }
}

func runInterop(_ arguments: [String]) throws {
  let generations = SQLCipherGeneration.linked == .four ? [3, 4] : [3]
  for file in try InteropFile.all() {
    for generation in generations {
      let name = "\(file.name)-\(generation).db"
      let path = "\(arguments[1])/\(name)"
      if arguments[0] == "make" {
        let queue = try file.open(path, generation: generation)
        try queue.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = \(file.journalMode)") }
        try queue.write { db in
          try db.execute(
            sql: "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT); PRAGMA user_version = 7")
          for number in 1...100 {
            try db.execute(
              sql: "INSERT INTO items VALUES (?, ?)", arguments: [number, "item \(number)"])
          }
        }
        try queue.close()
        say(name)
      } else if DatabaseFile.inspect(at: path).size > 0 {
        let queue = try file.open(path, generation: generation)
        try queue.read { db in
          let names = try String.fetchAll(db, sql: "SELECT name FROM items ORDER BY id")
          guard names == (1...(Int(arguments[2]) ?? 0)).map({ "item \($0)" }),
            try Int.fetchOne(db, sql: "PRAGMA user_version") == 7,
            try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"],
            try db.checkCipherIntegrity() == []
          else { throw ScenarioError("\(name) has other rows: \(names.count)") }
        }
        try queue.close()
        say(name)
      }
    }
  }
}
