import Coffer

/// Looks at the file as somebody would who has it and lacks its key.
struct Secrecy {
  let files: DemoFiles
  let passphrase: String
  let console: Console

  /// Looks for readable text while the database is open, then tries to open it without its key.
  ///
  /// - Throws: ``ToolError`` where any of it succeeds. The queue is closed afterwards.
  func check(_ queue: DatabaseQueue) throws {
    console.heading("3. What a thief would see")
    let names = try queue.read(wellKnownNames)
    try scan(for: names)
    try queue.close()
    try attempt("With a wrong passphrase", key: .passphrase("open sesame"))
    try attempt("Without a key", key: nil)
    try openProperly()
    console.facts([("Without its key it is", DatabaseFile.inspect(at: files.database).description)])
  }

  // MARK: Readable text

  /// Names that are in the file, and too long to be in random bytes by chance.
  private func wellKnownNames(_ db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT name FROM package
        GROUP BY name
        ORDER BY length(name) < 8,
          (SELECT count(*) FROM needs WHERE needed_id = package.id) DESC, name
        LIMIT 5
        """)
  }

  private func scan(for names: [String]) throws {
    console.text(
      "\(Numbers.count(names.count, "name")) that it holds, looked for in the bytes of each file: "
        + names.map(\.printable).joined(separator: ", "))
    var table = TextTable([
      .text("File"), .number("Bytes"), .number("Names found"), .number("Bits per byte"),
      .text("It begins with"),
    ])
    var leaks: [String] = []
    let database = try FileScan.scan(path: files.database, for: names)
    table.append(row("the list of packages", try .scan(path: files.status, for: names), names))
    table.append(row("the database", database, names))
    if database.totalCount > 0 { leaks.append(files.database) }
    for suffix in ["-wal", "-journal"] {
      let path = files.database + suffix
      guard DatabaseFile.inspect(at: path).size > 0 else { continue }
      let scan = try FileScan.scan(path: path, for: names)
      table.append(row("its \(suffix) file", scan, names))
      if scan.totalCount > 0 { leaks.append(path) }
    }
    console.table(table)
    console.text("8 bits per byte is what noise has; text has about 5.")
    console.facts([("First 16 bytes", Numbers.hex(database.start))])
    guard leaks.isEmpty else {
      throw ToolError(.failed, "Readable text is in \(leaks.joined(separator: " and ")).")
    }
  }

  private func row(_ name: String, _ scan: FileScan, _ texts: [String]) -> [String] {
    let found = "\(scan.foundTexts) of \(texts.count)"
    return [
      name, Numbers.grouped(scan.size),
      scan.totalCount > 0 ? "\(found), \(Numbers.grouped(scan.totalCount)) times" : found,
      Numbers.decimal(scan.bitsPerByte, digits: 2), scan.startAsText,
    ]
  }

  // MARK: Opening it

  private func attempt(_ title: String, key: DatabaseKey?) throws {
    var configuration = Configuration()
    configuration.key = key
    do {
      let queue = try DatabaseQueue(path: files.database, configuration: configuration)
      _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM package") }
    } catch {
      console.facts([(title, "\(error)")])
      return
    }
    throw ToolError(.failed, "\(title), the file could be read.")
  }

  private func openProperly() throws {
    let queue = try DatabaseQueue(path: files.database, key: .passphrase(passphrase))
    let count = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM package") } ?? 0
    try queue.close()
    console.facts([("With the right one", "it opens: \(Numbers.count(count, "package"))")])
  }
}
