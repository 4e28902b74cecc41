import Coffer

extension Shell {
  /// A command of the shell.
  struct DotCommand: Sendable {
    let name: String
    let form: String
    let summary: String
    /// The least and the greatest number of arguments.
    let arguments: ClosedRange<Int>
    let run: @Sendable (Shell, [String]) throws -> Void
  }

  static let commands: [DotCommand] = [
    DotCommand(
      name: ".dump", form: ".dump [FILE]", summary: "print the SQL of the whole database",
      arguments: 0...1
    ) {
      try $0.runTool(
        "dump", [$0.opening.path, "--yes"] + ($1.first.map { ["--output", $0] } ?? []))
    },
    DotCommand(
      name: ".explain", form: ".explain STATEMENT",
      summary: "print SQLite's program for a statement", arguments: 1...Int.max
    ) {
      let sql = "EXPLAIN " + $1.joined(separator: " ")
      try $0.printRows(sql)
    },
    DotCommand(
      name: ".export", form: ".export TABLE FILE",
      summary: "write rows to a file; its name gives the format", arguments: 2...2
    ) {
      try $0.runTool("export", [$0.opening.path, $1[0], "--output", $1[1]])
    },
    DotCommand(name: ".help", form: ".help", summary: "list these commands", arguments: 0...0) {
      shell, _ in
      for command in commands {
        shell.console.line(command.form.padded(to: 24) + command.summary)
      }
    },
    DotCommand(
      name: ".import", form: ".import FILE TABLE",
      summary: "insert rows from a file; the table is made if it is missing", arguments: 2...2
    ) {
      try $0.runTool("import", [$0.opening.path, $1[1], $1[0], "--create"])
    },
    DotCommand(
      name: ".indexes", form: ".indexes [TABLE]", summary: "list the indexes", arguments: 0...1
    ) { shell, arguments in
      let table = arguments.first?.lowercased()
      try shell.read { db in
        for object in try SchemaObject.all(db) where object.kind == "index" {
          if table == nil || object.table.lowercased() == table { shell.console.line(object.name) }
        }
      }
    },
    DotCommand(
      name: ".keys", form: ".keys TABLE", summary: "show the primary key and the foreign keys",
      arguments: 1...1
    ) { shell, arguments in
      try shell.read { db in
        let key = try db.primaryKey(arguments[0]).columns.joined(separator: ", ")
        shell.console.line("primary key (\(key))")
        for key in try db.foreignKeys(on: arguments[0]) {
          shell.console.line(
            "foreign key (\(key.originColumns.joined(separator: ", "))) -> \(key.destinationTable)("
              + key.destinationColumns.joined(separator: ", ") + ")")
        }
      }
    },
    DotCommand(
      name: ".mode", form: ".mode [MODE]", summary: "show or set the form of rows", arguments: 0...1
    ) { shell, arguments in
      if let name = arguments.first {
        shell.mode = try OutputMode.named(name)
      } else {
        shell.console.line(shell.mode.rawValue)
      }
    },
    DotCommand(
      name: ".open", form: ".open FILE", summary: "open another database", arguments: 1...1
    ) {
      try $0.open($1[0])
    },
    DotCommand(
      name: ".plan", form: ".plan on|off|STATEMENT", summary: "show how statements are executed",
      arguments: 1...Int.max
    ) { shell, arguments in
      switch arguments[0] {
      case "on" where arguments.count == 1: shell.showsPlan = true
      case "off" where arguments.count == 1: shell.showsPlan = false
      default:
        try shell.read { db in
          try Tool.printPlan(of: arguments.joined(separator: " "), db) { shell.console.line($0) }
        }
      }
    },
    DotCommand(
      name: ".quit", form: ".quit", summary: "end the shell, like Ctrl-D", arguments: 0...0
    ) { shell, _ in
      shell.isDone = true
    },
    DotCommand(
      name: ".read", form: ".read FILE", summary: "execute the statements of a file",
      arguments: 1...1
    ) {
      try $0.read($1[0])
    },
    DotCommand(
      name: ".schema", form: ".schema [NAME]", summary: "print the SQL of the schema",
      arguments: 0...1
    ) { shell, arguments in
      try shell.read { db in
        for sql in try Tool.schemaSQL(arguments.first, db) { shell.console.line(sql) }
      }
    },
    DotCommand(
      name: ".tables", form: ".tables", summary: "list the tables and views", arguments: 0...0
    ) { shell, _ in
      try shell.read { db in
        for table in try Tool.tableNames(db) { shell.console.line(table.name.printable) }
      }
    },
    DotCommand(
      name: ".timer", form: ".timer on|off", summary: "show the time of each statement",
      arguments: 1...1
    ) { shell, arguments in
      guard ["on", "off"].contains(arguments[0]) else {
        throw ToolError(.usage, ".timer takes on or off")
      }
      shell.showsTime = arguments[0] == "on"
    },
  ]

  /// Executes a line that begins with a period.
  func command(_ line: String) throws {
    let words = Self.words(of: line)
    guard let name = words.first.map({ $0 == ".exit" ? ".quit" : $0 }) else { return }
    guard let command = Self.commands.first(where: { $0.name == name }) else {
      let nearest = NearestName.find(name, in: Self.commands.map(\.name))
      throw ToolError(
        .usage,
        "there is no command \(name.printable): "
          + (nearest.map { "did you mean \($0)?" } ?? ".help lists the commands"))
    }
    let isStatement = command.arguments.upperBound == Int.max
    guard command.arguments.contains(words.count - 1) else {
      throw ToolError(.usage, "usage: \(command.form)")
    }
    // A statement keeps its quotes and spaces.
    var rest = line.dropFirst(name.count).drop(while: \.isWhitespace)
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    try command.run(self, isStatement && !rest.isEmpty ? [String(rest)] : Array(words.dropFirst()))
  }

  /// The words of a line; quotes keep spaces together.
  static func words(of line: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in line {
      if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
        word = word ?? ""
      } else if quote == nil, character.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }

  func read(_ body: (Database) throws -> Void) throws { try queue.unsafeRead(body) }

  func printRows(_ sql: String) throws {
    try read { db in
      let statement = try Tool.makeSingleStatement(sql, db)
      statement.setUncheckedArguments(StatementArguments())
      _ = try paged { try $0.writeRows(of: statement, mode: mode) }
    }
  }

  /// Executes a command of the tool with the shell's connection.
  func runTool(_ name: String, _ arguments: [String]) throws {
    let invocation = try Tool.parse([name] + arguments)
    switch name {
    case "dump":
      if isInteractive, !(invocation.has("output")) {
        guard try Prompt.confirm("The SQL text holds all data in plaintext. Go on?") else { return }
      }
      try read { db in
        try console.withOutput(invocation, of: opening, db.attachedFiles()) { output in
          try Tool.writeDump(db, to: output)
        }
      }
    case "export":
      let format = try ExportFormat(invocation)
      try read { db in
        let statement = try db.makeStatement(sql: format.query(of: invocation.arguments[1], db))
        let untyped = try RowImport.untypedColumns(of: invocation.arguments[1], db)
        _ = try console.withOutput(invocation, of: opening, db.attachedFiles()) { output in
          try output.writeRows(of: statement) {
            format.rows($0, table: invocation.arguments[1], untyped: untyped, db, to: output)
          }
        }
      }
    default:
      let source = invocation.arguments[2]
      let format = try ImportFormat(invocation, source: source)
      let count = try queue.inDatabase { db in
        var count = 0
        try db.inSavepoint {
          var rows = RowImport(db, table: invocation.arguments[1], source: source, format: format)
          rows.creates = true
          count = try rows.run()
          return .commit
        }
        return count
      }
      if isInteractive { console.line(Numbers.count(count, "row") + " imported") }
    }
  }
}
