/// The text of `coffer help`.
enum Help {
  private static let width = 80

  static func text(_ name: String?) throws -> String {
    guard let name else { return overview }
    let group = Tool.commands.filter { $0.name.hasPrefix(name + " ") }
    if !group.isEmpty { return group.map(describe).joined(separator: "\n") }
    guard let command = Tool.commands.first(where: { $0.name == name }) else {
      throw Tool.unknownCommand(name)
    }
    return describe(command)
  }

  private static var overview: String {
    let names = Tool.commands.map { ($0.form, $0.summary) }
    return """
      coffer reads and writes encrypted databases.

      Usage: coffer COMMAND [OPTIONS] FILE …
             coffer FILE              the same as coffer shell FILE

      Commands:
      \(columns(names))
      coffer help COMMAND shows the options. A key comes from a prompt, a file, a file
      descriptor, a command or a credential of systemd; never from the command line.

      """
  }

  private static func describe(_ command: CommandSpec) -> String {
    var text = "Usage: coffer \(command.form)\(command.options.isEmpty ? "" : " [OPTIONS]")\n\n"
    let sentence = command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."
    for line in (sentence + " " + command.details).wrapped(to: width) { text += line + "\n" }
    guard !command.options.isEmpty else { return text }
    return text + "\nOptions:\n" + columns(command.options.map { ($0.form, $0.help) })
  }

  /// Terms, and their texts beside or below them.
  private static func columns(_ entries: [(term: String, text: String)]) -> String {
    let indentation = 27
    return entries.map { entry in
      let lines = entry.text.wrapped(to: width - indentation)
      let margin = String(repeating: " ", count: indentation)
      let isShort = entry.term.terminalWidth <= indentation - 4
      let first =
        isShort
        ? "  " + entry.term.padded(to: indentation - 2) + (lines.first ?? "") + "\n"
        : "  " + entry.term + "\n" + margin + (lines.first ?? "") + "\n"
      return first + lines.dropFirst().map { margin + $0 + "\n" }.joined()
    }.joined()
  }
}
