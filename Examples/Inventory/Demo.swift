import Coffer

/// What the program shows, step by step.
struct Demo {
  private let list: PackageList
  private let database: NewDatabase
  private let output: Output
  private let passphrase = Demo.randomPassphrase()

  /// Runs all steps. No file is left behind if one fails.
  static func run(_ options: Options, output: Output) throws {
    let list = try PackageList(contentsOf: options.list)
    let database = try NewDatabase(at: options.database)
    var isComplete = false
    defer { if !isComplete || !database.isKept { database.delete() } }
    try Demo(list: list, database: database, output: output).run()
    isComplete = true
  }

  private func run() throws {
    let start = ContinuousClock.now
    let queue = try open()
    let stored = try store(in: queue)
    try ask(queue)
    try showTree(queue)
    try Secrecy(list: list, database: database.path, passphrase: passphrase, output: output)
      .check(queue)
    try showSQL()
    finish(stored, total: ContinuousClock.now - start)
  }

  /// Returns 24 random letters: 112 bits, which nobody guesses.
  static func randomPassphrase() -> String {
    let letters = "abcdefghijklmnopqrstuvwxyz"
    return (0..<6).map { _ in String((0..<4).compactMap { _ in letters.randomElement() }) }
      .joined(separator: "-")
  }
}

// MARK: Building

extension Demo {
  private func open() throws -> DatabaseQueue {
    output.line("An encrypted inventory of the packages of a machine")
    output.heading("1. Building the inventory")
    var configuration = Configuration()
    // So there is also a -wal file to examine.
    configuration.journalMode = .wal
    let (queue, time) = try timed {
      try DatabaseQueue(
        path: database.path, key: .passphrase(passphrase), configuration: configuration)
    }
    output.facts([
      ("Reading", list.path),
      ("Writing", "\(database.path), encrypted"),
      ("Passphrase", "\(passphrase) (made up for this demo; yours stays secret)"),
      ("Opened in", "\(time.text), most of it for the key: that slows guessing down"),
    ])
    return queue
  }

  private func store(in queue: DatabaseQueue) throws -> StoredInventory {
    let (counts, time) = try timed {
      try Schema.migrator.migrate(queue)
      // A single transaction is atomic, and fast.
      return try queue.write { db in try InventoryWriter.write(list.packages, db) }
    }
    let stored = StoredInventory(counts: counts, time: time)
    report(stored)
    return stored
  }

  private func report(_ stored: StoredInventory) {
    let counts = stored.counts
    let rows =
      "\(counts.packages.counting("package")), "
      + "\(counts.dependencies.counting("dependency", "dependencies")) and "
      + "\(counts.provided.counting("virtual package")), in one transaction"
    var facts = [("Stored", rows), ("Time", "\(stored.time.text): \(stored.rate)")]
    let skipped = list.skippedCount + counts.duplicates
    if skipped > 0 {
      let entries = skipped.counting("entry", "entries")
      facts.append(("Skipped", "\(entries) not installed, or incomplete"))
    }
    output.facts(facts)
  }
}

/// What was stored, and how long that took.
private struct StoredInventory {
  let counts: InventoryWriter.Counts
  let time: Duration

  var rate: String {
    "\(Int(Double(counts.rows) / max(time / .seconds(1), 1e-6)).counting("row")) a second"
  }
}

// MARK: Asking

extension Demo {
  private func ask(_ queue: DatabaseQueue) throws {
    output.heading("2. Ten questions")
    try queue.read { db in
      for (index, question) in try Question.all(db).enumerated() {
        let answer = try question.answer(db)
        output.heading("\(index + 1)) \(question.text)  (\(answer.time.text))")
        show(answer)
        if let note = question.note { output.text(note) }
      }
    }
  }

  private func show(_ answer: Answer) {
    if answer.rowCount == 0 { output.text("None.") } else { output.table(answer.table) }
    let rest = answer.rowCount - Answer.shownRows
    if rest > 0 { output.text("… and \(rest.formatted()) more") }
  }

  /// Prints the dependencies of a package as a tree.
  private func showTree(_ queue: DatabaseQueue) throws {
    let depth = 4
    let (tree, time) = try timed {
      try queue.read { db in
        let name = try Question.interestingPackage(db)
        return try DependencyTree.request(of: name, depth: depth).fetchOne(db)
      }
    }
    guard let tree else { return }
    output.heading("3. A tree of what \(tree.name) needs  (\(time.text))")
    for line in tree.lines(breadth: 5) { output.line("  " + line) }
    output.text(
      "Records with associations: \(tree.count.counting("package")) on \(depth) levels, "
        + "fetched by one query for each level.")
  }
}

// MARK: The end

extension Demo {
  /// Queries the file in SQL, as any program can that has its passphrase.
  private func showSQL() throws {
    let sql = "SELECT name, size FROM package ORDER BY size DESC LIMIT 3"
    output.heading("5. The same file, in SQL")
    output.line(sql)
    let queue = try DatabaseQueue(path: database.path, key: .passphrase(passphrase))
    try queue.read { db in try db.dumpSQL(SQL(sql: sql), format: .debug(header: true), to: output) }
    try queue.close()
  }

  private func finish(_ stored: StoredInventory, total: Duration) {
    output.heading("6. Done")
    output.text(
      "\(stored.counts.packages.counting("package")) stored encrypted at \(stored.rate), "
        + "ten questions answered, nothing readable found, a wrong passphrase refused: "
        + "\(total.text) in all.")
    if database.isKept {
      output.facts([
        ("The file", database.path), ("Its passphrase", passphrase),
        ("Look at it", "coffer \(database.path)"),
      ])
    } else {
      output.text("The file is deleted. To keep one: swift run Inventory --db inventory.db")
    }
    output.text("Next: README.md shows the few lines that do this in your own program.")
  }
}

/// Returns the result of `body`, and how long it took.
func timed<Result>(_ body: () throws -> Result) rethrows -> (Result, Duration) {
  let start = ContinuousClock.now
  let result = try body()
  return (result, ContinuousClock.now - start)
}
