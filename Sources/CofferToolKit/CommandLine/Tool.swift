import Coffer

/// The command-line tool.
enum Tool {
  static let version = "0.1.0"

  /// Executes the command and returns the exit code.
  ///
  /// - Parameter arguments: The arguments, without the tool's name.
  static func run(_ arguments: [String], console: Console) -> Int32 {
    do {
      let invocation = try parse(arguments)
      return try invocation.command.run(invocation, console)
    } catch {
      let error = ToolError(error)
      console.error("coffer: \(error)")
      return error.code.rawValue
    }
  }

  /// Finds the command and parses its arguments.
  static func parse(_ arguments: [String]) throws -> Invocation {
    let words = arguments.prefix { $0 != "--" }
    guard let first = arguments.first else {
      throw ToolError(.usage, "name a command or a file: coffer help lists the commands")
    }
    if first == "--version" {
      return try Invocation(command("version"), parsing: arguments.dropFirst())
    }
    // Help takes precedence over everything else.
    if words.contains(where: { $0 == "--help" || $0 == "-h" }) {
      let isCommand = commands.contains { $0.name == first || $0.name.hasPrefix(first + " ") }
      return try Invocation(command("help"), parsing: isCommand ? [first] : [])
    }
    if commands.contains(where: { $0.name.hasPrefix(first + " ") }) {
      return try Invocation(group(first, arguments), parsing: arguments.dropFirst(2))
    }
    if let command = commands.first(where: { $0.name == first }) {
      return try Invocation(command, parsing: arguments.dropFirst())
    }
    if first.hasPrefix("-"), first != "--" {
      // An option before the file: coffer --passphrase-file KEY FILE
      return try Invocation(command("shell"), parsing: arguments)
    }
    guard first == "--" || isPath(first) else { throw unknownCommand(first) }
    return try Invocation(command("shell"), parsing: arguments)
  }

  /// Returns the error of a name that no command has.
  static func unknownCommand(_ name: String) -> ToolError {
    let nearest = NearestName.find(name, in: commands.map(\.name)).map { "did you mean \($0)?" }
    let advice = formerCommands[name] ?? nearest ?? "coffer help lists the commands"
    return ToolError(.usage, "there is no command \"\(name.printable)\": \(advice)")
  }

  /// What earlier versions had, and where it is now.
  private static let formerCommands = [
    "demo": "the demo is Examples/Inventory now; make demo runs it in a clone of Coffer"
  ]

  /// Returns a command of two words.
  private static func group(_ first: String, _ arguments: [String]) throws -> CommandSpec {
    let names = commands.map(\.name).filter { $0.hasPrefix(first + " ") }
    let seconds = names.map { String($0.dropFirst(first.count + 1)) }
    guard arguments.count > 1, !arguments[1].hasPrefix("-") else {
      throw ToolError(
        .usage, "coffer \(first) needs one of \(seconds.joined(separator: ", ")) after it")
    }
    guard let command = commands.first(where: { $0.name == first + " " + arguments[1] }) else {
      let advice =
        NearestName.find(arguments[1], in: seconds).map { "did you mean \(first) \($0)?" }
        ?? "there are \(seconds.joined(separator: ", "))"
      throw ToolError(
        .usage, "there is no command \"\(first) \(arguments[1].printable)\": \(advice)")
    }
    return command
  }

  private static func command(_ name: String) -> CommandSpec {
    guard let command = commands.first(where: { $0.name == name }) else {
      preconditionFailure("no command \(name)")
    }
    return command
  }

  /// Whether a first argument that isn't a command is a file.
  private static func isPath(_ word: String) -> Bool {
    guard !word.isEmpty else { return false }
    if word.contains("/") || word.contains(".") { return true }
    return DatabaseFile.inspect(at: word).kind != .missing
  }

  /// Prints the versions of the tool and of its engine, and the engine's known faults.
  static func printVersion(_ console: Console) {
    console.line("coffer \(version) (\(engineName))")
    for fault in Database.engine.faults { console.line("Known fault: \(fault) \(fault.link)") }
  }

  /// The engine as a person knows it.
  static var engineName: String {
    "SQLCipher \(Database.engine.cipherVersion), SQLite \(Database.engine.sqliteVersion)"
  }
}
