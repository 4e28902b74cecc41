import Coffer

/// Examines the file without its key.
struct Secrecy {
  let files: DemoFiles
  let passphrase: String
  let console: Console

  /// Searches for readable text, then tries to open the database without its key.
  ///
  /// - Throws: ``ToolError`` if either succeeds. The queue is closed afterwards.
  func check(_ queue: DatabaseQueue) throws {
    console.heading("4. What a thief would see")
    let names = try queue.read(wellKnownNames)
    var readings: [Reading] = []
    // These files exist only while the database is open.
    for suffix in ["-wal", "-journal"] {
      let path = files.database + suffix
      if DatabaseFile.inspect(at: path).size > 0 {
        readings.append(try read("the \(suffix) file", path, names))
      }
    }
    try queue.close()
    readings.append(try read("the database", files.database, names))
    try show(readings, names)
    let leaks = readings.filter { $0.scan.totalCount > 0 }.map(\.path)
    guard leaks.isEmpty else {
      throw ToolError(.failed, "Readable text is in \(leaks.joined(separator: " and ")).")
    }
    try tryToOpen()
  }

  // MARK: Readable text

  private struct Reading {
    var name: String
    var path: String
    var scan: FileScan
  }

  /// Returns names that are in the file, and too long to occur in random bytes by chance.
  private func wellKnownNames(_ db: Database) throws -> [String] {
    let names = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM package
        WHERE length(name) >= 8
        GROUP BY name
        ORDER BY (SELECT count(*) FROM needs WHERE neededId = package.id) DESC, name
        LIMIT 5
        """)
    // Every database contains its schema.
    return names.isEmpty ? ["CREATE TABLE"] : names
  }

  private func read(_ name: String, _ path: String, _ texts: [String]) throws -> Reading {
    Reading(name: name, path: path, scan: try FileScan.scan(.file(path), for: texts))
  }

  private func show(_ readings: [Reading], _ names: [String]) throws {
    console.text(
      "\(Numbers.count(names.count, "text")) that it holds, looked for in every byte: "
        + names.map(\.printable).joined(separator: ", "))
    var table = TextTable([
      .text("File"), .number("Bytes"), .number("Found"), .number("Bits/byte"),
      .text("It begins with"),
    ])
    if ByteSource.isRepeatable(files.status) {
      table.append(row(try read("dpkg's list", files.status, names)))
    }
    for reading in readings { table.append(row(reading)) }
    console.table(table)
    console.text("Noise has 8 bits of information in a byte, text about 5.")
    if let database = readings.last {
      console.facts([("The database begins with", Numbers.hex(database.scan.start))])
    }
  }

  private func row(_ reading: Reading) -> [String] {
    let scan = reading.scan
    let found = "\(scan.foundTexts) of \(scan.counts.count)"
    return [
      reading.name, Numbers.grouped(scan.size),
      scan.totalCount > 0 ? "\(found), \(Numbers.grouped(scan.totalCount)) times" : found,
      Numbers.decimal(scan.bitsPerByte, digits: 2), scan.startAsText,
    ]
  }

  // MARK: Opening it

  private func tryToOpen() throws {
    let wrong = try refusal(key: .passphrase("open sesame"), "a wrong passphrase")
    let missing = try refusal(key: nil, "no key")
    let queue = try DatabaseQueue(path: files.database, key: .passphrase(passphrase))
    let count = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM package") } ?? 0
    try queue.close()
    console.line()
    console.text("Opening the database:")
    console.facts([
      ("A wrong passphrase", wrong), ("No key", missing),
      ("The right passphrase", "It opens, and has \(Numbers.count(count, "package"))."),
      ("coffer inspect", DatabaseFile.inspect(at: files.database).description),
    ])
  }

  /// Returns the error with which the library refuses to open the file.
  private func refusal(key: DatabaseKey?, _ name: String) throws -> String {
    var configuration = Configuration()
    configuration.key = key
    do {
      let queue = try DatabaseQueue(path: files.database, configuration: configuration)
      _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM package") }
    } catch {
      return "\(error)"
    }
    throw ToolError(.failed, "With \(name), the file could be read.")
  }
}
