/// The command to execute.
enum Command: Equatable {
  case demo(DemoFiles.Options)
  case inspect(path: String)
  case help
  case version
}

extension Command {
  /// Parses the arguments, without the tool's name.
  ///
  /// - Throws: ``ToolError`` with the code ``ToolError/Code/usage``.
  init(arguments: [String]) throws {
    // Help takes precedence over everything else.
    if arguments.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) {
      self = .help
      return
    }
    var rest = arguments[...]
    switch rest.popFirst() {
    case "demo":
      self = .demo(try DemoFiles.Options(arguments: rest))
    case "inspect":
      if rest.first == "--" { rest.removeFirst() } else { try Self.refuseOptions(rest) }
      guard let path = rest.popFirst(), !path.isEmpty else {
        throw ToolError(.usage, "inspect: name a file")
      }
      try Self.refuseMore(rest)
      self = .inspect(path: path)
    case "help":
      self = .help
    case "--version", "version":
      try Self.refuseMore(rest)
      self = .version
    case let name?:
      throw ToolError(.usage, "there is no command \"\(name.printable)\"")
    case nil:
      throw ToolError(.usage, "name a command")
    }
  }

  fileprivate static func refuseMore(_ rest: ArraySlice<String>) throws {
    if let argument = rest.first { throw unknown(argument) }
  }

  private static func refuseOptions(_ rest: ArraySlice<String>) throws {
    if let option = rest.first(where: { $0.hasPrefix("-") && $0 != "-" }) { throw unknown(option) }
  }

  fileprivate static func unknown(_ argument: String) -> ToolError {
    ToolError(.usage, "unknown argument \"\(argument.printable)\"")
  }
}

extension DemoFiles.Options {
  /// Parses the arguments of `coffer demo`. A value follows its option, or an `=` after it.
  init(arguments: ArraySlice<String>) throws {
    self.init()
    var rest = arguments
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let joined = parts.count == 2 ? String(parts[1]) : nil
      switch parts.first {
      case "--status": status = try Self.value(of: "--status", joined, &rest)
      case "--db": database = try Self.value(of: "--db", joined, &rest)
      case "--keep" where joined == nil: keepsDatabase = true
      default: throw Command.unknown(argument)
      }
    }
  }

  private static func value(
    of option: String, _ joined: String?, _ rest: inout ArraySlice<String>
  ) throws -> String {
    guard let value = joined ?? rest.popFirst(), !value.isEmpty else {
      throw ToolError(.usage, "\(option) needs a file")
    }
    return value
  }
}
