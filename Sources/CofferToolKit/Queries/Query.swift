import Coffer
import Glibc

extension Tool {
  /// `coffer query`
  static func query(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let mode = try OutputMode(invocation, console)
    let arguments = try Parameters.parse(invocation.values("param"))
    let sql = try SQLArgument.read(invocation.arguments[1])
    try invocation.withDatabase { queue in
      try queue.read { db in
        let statement = try makeSingleStatement(sql, db)
        guard statement.isReadonly else {
          throw ToolError(.failed, "the statement writes, and query only reads. Use coffer exec")
        }
        try ByteOutput(console).writeRows(of: statement, arguments, mode: mode)
      }
    }
    return 0
  }

  /// Prepares the one statement of the text.
  static func makeSingleStatement(_ sql: String, _ db: Database) throws -> Statement {
    let statements = try db.allStatements(sql: sql)
    guard let statement = try statements.next() else {
      throw ToolError(.usage, "the SQL is empty: give a statement")
    }
    // A second statement could depend on the first, so it may not compile now.
    let hasMore = (try? statements.next() != nil) ?? true
    guard !hasMore else {
      throw ToolError(.usage, "this is more than one statement: give one, or use coffer exec")
    }
    return statement
  }

  /// `coffer exec`
  static func execute(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let arguments = try Parameters.parse(invocation.values("param"))
    let sql = try SQLArgument.read(invocation.arguments[1])
    let count = try invocation.withDatabase(readonly: false) { queue in
      // A text with transactions of its own, as a dump is, is run as it is.
      let hasTransactions = StatementReader.beginsTransaction(sql)
      func run(_ body: (Database) throws -> Int) throws -> Int {
        guard hasTransactions else { return try queue.write(body) }
        return try queue.inDatabase { db in
          defer { if db.isInsideTransaction { try? db.execute(sql: "ROLLBACK") } }
          let count = try body(db)
          guard !db.isInsideTransaction else {
            throw ToolError(
              .failed,
              "the statements begin a transaction that they don't end: nothing of it is kept")
          }
          return count
        }
      }
      return try run { db in
        var changes = 0
        let statements = try db.allStatements(sql: sql)
        while let statement = try statements.next() {
          let before = db.totalChangesCount
          try statement.execute(arguments: arguments.isEmpty ? nil : statement.fitting(arguments))
          // The count stays as it was where a statement changes no rows.
          if db.totalChangesCount != before { changes += db.changesCount }
        }
        try Interrupts.check()
        return changes
      }
    }
    console.line(console.isTerminal ? Numbers.count(count, "changed row") : "\(count)")
    return 0
  }
}

extension Statement {
  /// The arguments, or none for a statement without parameters.
  fileprivate func fitting(_ arguments: StatementArguments) -> StatementArguments? {
    (try? validateArguments(StatementArguments())) == nil ? arguments : nil
  }
}

/// SQL on the command line.
enum SQLArgument {
  /// Returns the text, or that of standard input if it is `-`.
  static func read(_ text: String) throws -> String {
    guard text == "-" else { return text }
    var bytes: [UInt8] = []
    let source = try ByteSource.file("/dev/stdin")
    while try source.readChunk(&bytes) {}
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ToolError(
        .failed, "standard input is not UTF-8. Convert it first, with iconv for example")
    }
    return text
  }
}

/// The values of `--param`.
enum Parameters {
  static func parse(_ words: [String]) throws -> StatementArguments {
    var values: [String: (any DatabaseValueConvertible)?] = [:]
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      var name = parts[0]
      if let first = name.first, ":@$?".contains(first) { name.removeFirst() }
      guard parts.count == 2, !name.isEmpty else {
        // The value can be private, so the message doesn't show it.
        throw ToolError(.usage, "--param takes NAME=VALUE")
      }
      guard values.updateValue(value(String(parts[1])), forKey: String(name)) == nil else {
        throw ToolError(.usage, "--param \(String(name).printable) is given twice")
      }
    }
    return StatementArguments(values)
  }

  /// A number if the text is the number's own form, else the text: `007` stays a text.
  static func value(_ text: String) -> DatabaseValue {
    if let number = Int64(text), "\(number)" == text { return number.databaseValue }
    if let number = Double(text), number.isFinite, ValueText.text(number) == text {
      return number.databaseValue
    }
    return text.databaseValue
  }
}
