import Coffer
import Glibc

/// The demo: builds an encrypted inventory of a machine's packages, runs ten queries, and examines
/// the file without its key.
struct Demo {
  let files: DemoFiles
  let console: Console
  private let passphrase = DemoPassphrase.random()
  private let clock = ContinuousClock()

  /// Runs the whole demo.
  ///
  /// - Throws: ``ToolError``. No file is left behind then.
  static func run(
    _ options: DemoFiles.Options, console: Console,
    machineStatus: String = DemoFiles.machineStatus
  ) throws {
    let files = try DemoFiles(options, machineStatus: machineStatus)
    var isComplete = false
    defer { files.cleanUp(isComplete: isComplete) }
    do {
      try Demo(files: files, console: console).run()
      isComplete = true
    } catch let error as DatabaseError {
      throw ToolError(error.resultCode == .SQLITE_CANTOPEN ? .cantCreate : .software, "\(error)")
    } catch let error as FileError {
      throw ToolError(.noInput, "\(error)")
    } catch let error as ParagraphTooLong {
      throw ToolError(.dataError, "\(files.status): \(error)")
    }
  }

  private func run() throws {
    let start = clock.now
    let source = try ByteSource.file(files.status)
    let queue = try open()
    let built = try build(queue, from: source)
    try ask(queue)
    try showTree(queue)
    try Secrecy(files: files, passphrase: passphrase, console: console).check(queue)
    let total = clock.now - start
    try showTool()
    close(built, total: total)
  }

  // MARK: Building

  private struct Built {
    var counts = Inventory.Counts()
    /// The time to read the list.
    var readingTime = Duration.zero
    /// The remaining time, from the first table to the commit.
    var writingTime = Duration.zero
    var rate: Int { Int(Double(counts.rows) / max(writingTime.seconds, 1e-6)) }
  }

  private func open() throws -> DatabaseQueue {
    console.line("Coffer demo: an encrypted inventory of the packages of a machine")
    console.heading("1. Building the inventory")
    if let note = files.statusNote { console.text(note) }
    var configuration = Configuration()
    // So there is also a -wal file to examine.
    configuration.journalMode = .wal
    let start = clock.now
    let queue = try DatabaseQueue(
      path: files.database, key: .passphrase(passphrase), configuration: configuration)
    console.facts([
      ("Reading", files.status),
      ("Writing", "\(files.database), encrypted"),
      ("Passphrase", "\(passphrase)  (made up for this demo; yours stays secret)"),
      (
        "Opened in",
        "\(Numbers.time(clock.now - start)), most of it for the key: that slows guessing down"
      ),
    ])
    return queue
  }

  private func build(_ queue: DatabaseQueue, from source: ByteSource) throws -> Built {
    var status = DpkgStatus(source)
    var bar = ProgressBar("Packages", total: source.size, console: console)
    var built = Built()
    let start = clock.now
    do {
      defer { bar.finish() }
      // A single transaction is atomic, and fast.
      try queue.write { db in
        try Inventory.createTables(db)
        var writer = Inventory.Writer(db)
        while let package = try measuring(&built.readingTime, { try status.next() }) {
          try writer.add(package)
          bar.advance(
            to: status.bytesConsumed, note: Numbers.count(writer.counts.packages, "package"))
        }
        try writer.finish()
        built.counts = writer.counts
      }
    }
    built.writingTime = clock.now - start - built.readingTime
    guard built.counts.packages > 0 else {
      throw ToolError(
        .dataError, "\(files.status) lists no installed package. Is it a dpkg status file?")
    }
    report(built, skipped: status.skippedCount + built.counts.duplicates)
    return built
  }

  private func measuring<T>(_ time: inout Duration, _ body: () throws -> T) rethrows -> T {
    let start = clock.now
    defer { time += clock.now - start }
    return try body()
  }

  private func report(_ built: Built, skipped: Int) {
    let counts = built.counts
    var facts = [
      (
        "Stored",
        "\(Numbers.count(counts.packages, "package")), "
          + "\(Numbers.count(counts.dependencies, "dependency", "dependencies")) and "
          + "\(Numbers.count(counts.provided, "virtual package")), in one transaction"
      ),
      (
        "Time",
        "\(Numbers.time(built.readingTime)) to read the list, "
          + "\(Numbers.time(built.writingTime)) to store it: "
          + "\(Numbers.count(built.rate, "row")) a second"
      ),
    ]
    if skipped > 0 {
      facts.append(
        ("Skipped", "\(Numbers.count(skipped, "entry", "entries")) not installed, or incomplete"))
    }
    console.facts(facts)
  }

  // MARK: Asking

  private func ask(_ queue: DatabaseQueue) throws {
    console.heading("2. Ten questions")
    try queue.read { db in
      for (index, question) in try Question.all(db).enumerated() {
        let answer = try question.answer(db)
        console.heading("\(index + 1)) \(question.text)  (\(Numbers.time(answer.time)))")
        if answer.rowCount == 0 {
          console.text("None.")
        } else {
          console.table(answer.table)
        }
        let rest = answer.rowCount - Answer.shownRows
        if rest > 0 { console.text("… and \(Numbers.grouped(rest)) more") }
        if let note = question.note { console.text(note) }
      }
    }
  }

  /// Prints the dependencies of a package as a tree.
  private func showTree(_ queue: DatabaseQueue) throws {
    let depth = 4
    let start = clock.now
    let tree = try queue.read { db in
      let name = try Question.interestingPackage(db)
      return try DependencyTree.request(of: name, depth: depth).fetchOne(db)
    }
    let time = clock.now - start
    guard let tree else { return }
    console.heading("3. A tree of what \(tree.name.printable) needs  (\(Numbers.time(time)))")
    for line in tree.lines(breadth: 5) { console.line("  " + line) }
    console.text(
      "Records with associations: \(Numbers.count(tree.count, "package")) on \(depth) levels, "
        + "fetched by one query for each level.")
  }

  // MARK: The end

  /// Queries the file as any user of the tool does.
  private func showTool() throws {
    let sql = "SELECT name, size FROM package ORDER BY size DESC LIMIT 3"
    console.heading("5. The same file in the tool")
    console.line("  $ coffer query \(files.database) '\(sql)'")
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    defer { Glibc.close(ends[0]) }
    let isWritten = Console.writeAll((passphrase + "\n").utf8, to: ends[1])
    Glibc.close(ends[1])
    guard isWritten else { return }
    _ = Tool.run(
      ["query", files.database, sql, "--mode", "box", "--passphrase-fd", "\(ends[0])"],
      console: console)
    // A connection that only reads leaves the log's files behind.
    let queue = try DatabaseQueue(path: files.database, key: .passphrase(passphrase))
    _ = try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA schema_version") }
    try queue.close()
  }

  private func close(_ built: Built, total: Duration) {
    console.heading("6. Done")
    console.text(
      "\(Numbers.count(built.counts.packages, "package")) stored encrypted at "
        + "\(Numbers.count(built.rate, "row")) a second, ten questions answered, nothing readable "
        + "found, a wrong passphrase refused: \(Numbers.time(total)) in all.")
    if files.isKept {
      console.facts([
        ("The file", files.database), ("Its passphrase", passphrase),
        ("Look at it", "coffer \(files.database)"),
        ("Ask it", "coffer query \(files.database) 'SELECT name, size FROM package LIMIT 5'"),
      ])
    } else {
      console.text("The file is deleted. To keep one: coffer demo --db inventory.db")
    }
    console.text("Next: README.md shows the few lines that do this in your own program.")
  }
}
