/// An option of a command, from which its parsing, its help and its completion follow.
struct OptionSpec: Sendable {
  /// The kind of words that a shell offers for a value.
  enum Completion: Sendable {
    case none
    case files
    case words([String])
  }

  /// The name, without the two dashes.
  let name: String
  /// The placeholder of the value; nil for an option without one.
  let value: String?
  let help: String
  let completion: Completion
  /// Whether the option can be given several times.
  let isRepeatable: Bool
  /// Whether the command needs the option.
  var isRequired = false

  /// An option without a value.
  static func flag(_ name: String, _ help: String) -> OptionSpec {
    OptionSpec(name: name, value: nil, help: help, completion: .none, isRepeatable: false)
  }

  /// An option with a value.
  static func value(
    _ name: String, _ value: String, _ help: String, _ completion: Completion = .none,
    isRepeatable: Bool = false, isRequired: Bool = false
  ) -> OptionSpec {
    OptionSpec(
      name: name, value: value, help: help, completion: completion, isRepeatable: isRepeatable,
      isRequired: isRequired)
  }

  /// The option as it is written: `--mode MODE`.
  var form: String { "--" + name + (value.map { " " + $0 } ?? "") }
}

/// An argument of a command.
struct ArgumentSpec: Sendable {
  let name: String
  var isOptional = false
  var completion = OptionSpec.Completion.files

  /// The argument as it is written in a usage line.
  var form: String { isOptional ? "[\(name)]" : name }
}

/// A command, from which its parsing, its help, the man page and the completions follow.
struct CommandSpec: Sendable {
  let name: String
  let arguments: [ArgumentSpec]
  /// One line that says what the command does.
  let summary: String
  /// Further sentences.
  var details = ""
  var options: [OptionSpec] = []
  /// Executes the command, and returns the exit code.
  let run: @Sendable (Invocation, Console) throws -> CInt

  /// The command, its arguments and the options that it needs, such as `query FILE SQL`.
  var form: String {
    ([name] + arguments.map(\.form) + options.filter(\.isRequired).map(\.form))
      .joined(separator: " ")
  }
}

/// A command with its arguments and options, as given on the command line.
struct Invocation: Sendable {
  let command: CommandSpec
  /// The arguments without the options.
  var arguments: [String]
  private(set) var options: [String: [String]] = [:]

  init(
    _ command: CommandSpec, arguments: [String] = [], options: [String: [String]] = [:]
  ) {
    self.command = command
    self.arguments = arguments
    self.options = options
  }

  /// Whether an option without a value is given.
  func has(_ option: String) -> Bool { options[option] != nil }

  /// The last value of an option.
  func value(_ option: String) -> String? { options[option]?.last }

  /// All values of an option that can be repeated.
  func values(_ option: String) -> [String] { options[option] ?? [] }

  /// The argument at an index, if it is given.
  func argument(_ index: Int) -> String? {
    arguments.indices.contains(index) ? arguments[index] : nil
  }

  fileprivate mutating func add(_ value: String, to option: String) {
    options[option, default: []].append(value)
  }
}

extension Invocation {
  /// Parses the arguments of a command, without its name. Options and arguments can be in any
  /// order.
  ///
  /// - Throws: ``ToolError`` with the code ``ToolError/Code/usage``.
  init(_ command: CommandSpec, parsing words: some Collection<String>) throws {
    self.init(command)
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        arguments += rest
        break
      }
      if word.hasPrefix("--") {
        try parseOption(word.dropFirst(2), &rest)
      } else if word.hasPrefix("-"), word != "-" {
        throw unknownOption(word)
      } else {
        arguments.append(word)
      }
    }
    try checkArguments()
  }

  private mutating func parseOption(_ word: Substring, _ rest: inout ArraySlice<String>) throws {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = command.options.first(where: { $0.name == name }) else {
      throw unknownOption("--" + name)
    }
    guard let placeholder = option.value else {
      guard parts.count == 1 else {
        throw ToolError(.usage, "--\(name) takes no value")
      }
      return add("", to: name)
    }
    guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !value.isEmpty else {
      throw ToolError(.usage, "--\(name) needs a value: \(option.form)")
    }
    guard option.isRepeatable || !has(name) else {
      throw ToolError(.usage, "--\(name) \(placeholder) is given twice")
    }
    add(value, to: name)
  }

  private func unknownOption(_ word: String) -> ToolError {
    let names = command.options.map { "--" + $0.name } + ["--help"]
    let nearest = NearestName.find(word, in: names).map { "did you mean \($0)?" }
    return ToolError(
      .usage,
      "there is no option \(word.printable): \(nearest ?? "see coffer help \(command.name)")")
  }

  private func checkArguments() throws {
    let specs = command.arguments
    if let missing = specs.indices.first(where: { !specs[$0].isOptional && $0 >= arguments.count })
    {
      throw ToolError(
        .usage, "\(command.name): \(specs[missing].name) is missing: coffer \(command.form)")
    }
    if arguments.count > specs.count {
      throw ToolError(
        .usage,
        "\(command.name): \"\(arguments[specs.count].printable)\" is one argument too many: coffer "
          + command.form)
    }
    if let missing = command.options.first(where: { $0.isRequired && !has($0.name) }) {
      throw ToolError(
        .usage, "\(command.name): --\(missing.name) is missing: coffer \(command.form)")
    }
    if let empty = arguments.firstIndex(of: "") {
      throw ToolError(.usage, "\(command.name): \(specs[empty].name) is empty")
    }
  }
}
