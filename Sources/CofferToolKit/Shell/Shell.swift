import Coffer
import Glibc

/// The interactive shell, and the same for a pipe.
final class Shell {
  let console: Console
  var mode: OutputMode
  var showsTime: Bool
  /// Whether each query's plan is printed before its rows.
  var showsPlan = false
  private(set) var opening: Opening
  private(set) var queue: DatabaseQueue
  private var lines: any LineSource
  private var reader = StatementReader()
  /// Whether a statement has failed, which a script learns at the end.
  private(set) var hasFailed = false
  private var isInterrupted = false
  var isDone = false
  private var depth = 0

  var isInteractive: Bool { console.isTerminal && isatty(STDIN_FILENO) == 1 }

  init(_ opening: Opening, mode: OutputMode, console: Console) throws {
    self.opening = opening
    self.mode = mode
    self.console = console
    queue = try Self.connect(opening)
    let isInteractive = console.isTerminal && isatty(STDIN_FILENO) == 1
    showsTime = isInteractive
    lines = PlainLines(descriptor: STDIN_FILENO, showsPrompt: isInteractive)
    #if LineEditing
      if isInteractive, let editor = EditedLines(completing: { [weak self] in self?.words ?? [] }) {
        lines = editor
      }
    #endif
  }

  private static func connect(_ opening: Opening) throws -> DatabaseQueue {
    // A transaction can stay open from one statement to the next.
    try opening.open(readonly: false) { $0.allowsUnsafeTransactions = true }
  }

  /// Opens another file.
  func open(_ path: String) throws {
    // The options were those of the first file: the key of another one is asked for.
    let new = Opening(path: path, source: path == opening.path ? opening.source : nil, cipher: nil)
    let connection = try Self.connect(new)
    try? queue.close()
    (opening, queue) = (new, connection)
  }

  // MARK: Lines

  private var prompt: String {
    if !reader.isEmpty { return "   ...> " }
    let isInTransaction = (try? queue.unsafeRead { $0.isInsideTransaction }) ?? false
    return isInTransaction ? "coffer*> " : "coffer> "
  }

  func run() throws -> CInt {
    if isInteractive {
      // Does nothing, but ends a read.
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in }
      sigaction(SIGURG, &action, nil)
      console.line("coffer \(Tool.version). .help lists the commands; a statement ends with ;")
    }
    try isInteractive
      ? Interrupts.handled(endsTool: false) { try executeLines() } : executeLines()
    if !isDone {
      if !reader.isEmpty, !isInteractive { execute(statement: reader.text) }
      if isInteractive { console.line() }
    }
    try? queue.close()
    if isInterrupted { return ToolError.Code.interrupted.rawValue }
    return hasFailed && !isInteractive ? ToolError.Code.failed.rawValue : 0
  }

  private func executeLines() throws {
    while !isDone {
      do {
        guard let line = try nextLine() else { break }
        execute(line: line)
      } catch is LineInterrupted {
        reader.clear()
        console.line()
      }
    }
  }

  private func nextLine() throws -> String? {
    let prompt = prompt
    // Without a terminal, Ctrl-C between two statements ends the process.
    guard isInteractive else { return try lines.next(prompt: prompt) }
    Interrupts.collect()
    Interrupts.takeRequest()
    let thread = pthread_self()
    // Ctrl-C drops a line that is typed but not read yet, and a read would wait for the next one.
    return try Interrupts.handled(
      by: { pthread_kill(thread, SIGURG) }, endsTool: false, passesOn: true
    ) {
      try lines.next(prompt: prompt)
    }
  }

  private func execute(line: String) {
    if reader.isEmpty, line.utf8.first == UInt8(ascii: ".") {
      // In SQL it is a space.
      let line = String(
        decoding: line.utf8.reversed().drop { $0 == 0x0D }.reversed(), as: UTF8.self)
      lines.remember(line)
      attempt { try command(line) }
      return
    }
    for statement in reader.add(line) {
      lines.remember(statement)
      execute(statement: statement)
      if hasFailed, depth > 0 { return }
    }
  }

  /// Executes the lines of a file.
  func read(_ path: String) throws {
    guard depth < 20 else {
      throw ToolError(.failed, ".read: files read each other without an end")
    }
    var bytes: [UInt8] = []
    let source = try ByteSource.file(path)
    while try source.readChunk(&bytes) {}
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw ToolError(
        .failed, "\(path.printable) is not UTF-8. Convert it first, with iconv for example")
    }
    let (outerReader, hadFailed) = (reader, hasFailed)
    reader = StatementReader()
    hasFailed = false
    depth += 1
    defer {
      depth -= 1
      reader = outerReader
    }
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      execute(line: String(decoding: line, as: UTF8.self))
      // What follows a failure could rely on it.
      if hasFailed || isDone { break }
    }
    if !hasFailed, !reader.isEmpty { execute(statement: reader.text) }
    hasFailed = hasFailed || hadFailed
  }

  /// Calls `body`, and prints its error.
  private func attempt(_ body: () throws -> Void) {
    let queue = queue
    do {
      try Interrupts.handled(
        by: { queue.interrupt() }, endsTool: false, inherits: isInteractive, body)
    } catch {
      let error = ToolError(error, path: opening.path)
      hasFailed = true
      if error.code == .interrupted, !isInteractive { (isInterrupted, isDone) = (true, true) }
      // A command's advice isn't the shell's.
      let text = "\(error)".replacing(
        "Give --param NAME=VALUE", with: "Write the value: the shell has no parameters")
      console.error(error.code == .interrupted ? "interrupted" : "coffer: \(text)")
    }
  }

  // MARK: Statements

  private func execute(statement sql: String) {
    attempt {
      let clock = ContinuousClock()
      let start = clock.now
      let text = try queue.inDatabase { db -> String? in
        if showsPlan { try? Tool.printPlan(of: sql, db) { console.line($0) } }
        return try execute(sql, db)
      }
      guard isInteractive else {
        if showsTime { console.line("time: \(Numbers.time(clock.now - start))") }
        return
      }
      var notes = [text].compactMap(\.self)
      if showsTime { notes.append(Numbers.time(clock.now - start)) }
      if !notes.isEmpty { console.line(dim("(" + notes.joined(separator: ", ") + ")")) }
    }
  }

  private func dim(_ text: String) -> String {
    console.isStyled ? "\u{1B}[2m\(text)\u{1B}[0m" : text
  }

  /// Executes one statement, and returns the number of its rows or changes as text.
  private func execute(_ sql: String, _ db: Database) throws -> String? {
    let statements = try db.allStatements(sql: sql)
    var text: String?
    while let statement = try statements.next() {
      let before = db.totalChangesCount
      if statement.columnCount > 0 {
        let count = try paged { try $0.writeRows(of: statement, mode: mode) }
        text = Numbers.count(count, "row")
      } else {
        try statement.execute()
      }
      if db.totalChangesCount != before { text = Numbers.count(db.changesCount, "changed row") }
    }
    return text
  }

  /// Calls `body` with an output that goes through the pager if it is longer than the window.
  func paged<Result>(_ body: (ByteOutput) throws -> Result) throws -> Result {
    let console = console.resized
    guard isInteractive, depth == 0 else {
      let output = ByteOutput(console)
      let result = try body(output)
      try output.flush()
      return result
    }
    let pager = Pager(console)
    defer { pager.finish() }
    let output = ByteOutput(
      isTerminal: true, width: console.width, isStyled: console.isStyled,
      sink: { pager.write($0) })
    let result = try body(output)
    try output.flush()
    return result
  }

  // MARK: Completion

  static let keywords = """
    ALTER ANALYZE AND AS ASC ATTACH BEGIN BETWEEN BY CASE CHECK COLLATE COLUMN COMMIT CONSTRAINT \
    CREATE CROSS DEFAULT DELETE DESC DETACH DISTINCT DROP ELSE END ESCAPE EXCEPT EXISTS EXPLAIN \
    FOREIGN FROM GROUP HAVING IN INDEX INNER INSERT INTERSECT INTO IS JOIN KEY LEFT LIKE LIMIT \
    MATCH NOT NULL OFFSET ON OR ORDER OUTER PRAGMA PRIMARY RECURSIVE REFERENCES REINDEX RELEASE \
    RENAME REPLACE RETURNING ROLLBACK SAVEPOINT SELECT SET TABLE THEN TRANSACTION TRIGGER UNION \
    UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WITH WITHOUT
    """.split(separator: " ").map(String.init)

  /// The words that a line can go on with.
  var words: [String] {
    let names = try? queue.unsafeRead { db in
      try Tool.tableNames(db).flatMap { table in
        [table.name] + ((try? db.columns(in: table.name).map(\.name)) ?? [])
      }
    }
    return Self.commands.map(\.name) + Self.keywords + Array(Set(names ?? [])).sorted()
  }
}

extension Tool {
  /// `coffer shell`
  static func shell(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let mode = try OutputMode(invocation, console)
    let opening = try Opening(invocation, path: invocation.arguments[0])
    return try Shell(opening, mode: mode, console: console).run()
  }
}
