/// The text of `coffer completions`.
enum Completions {
  static func text(shell: String) throws -> String {
    switch shell {
    case "bash": return bash
    case "zsh": return zsh
    case "fish": return fish
    default:
      throw ToolError(.usage, "there are no completions for \(shell.printable): bash, zsh, fish")
    }
  }

  /// What the commands of two words are about, by their first words.
  private static let groups = [
    "archive": "a continuous copy of a file, elsewhere", "key": "the key slots of a file",
  ]

  /// The commands, with those of two words as one whose first argument is the second word.
  private static var commands: [CommandSpec] {
    var commands: [CommandSpec] = []
    for command in Tool.commands {
      let words = command.name.split(separator: " ").map(String.init)
      guard words.count == 2 else {
        commands.append(command)
        continue
      }
      guard commands.last?.name != words[0] else { continue }
      let group = Tool.commands.filter { $0.name.hasPrefix(words[0] + " ") }
      var options: [OptionSpec] = []
      for option in group.flatMap(\.options)
      where !options.contains(where: { $0.name == option.name }) {
        options.append(option)
      }
      let actions = group.map { String($0.name.dropFirst(words[0].count + 1)) }
      commands.append(
        CommandSpec(
          name: words[0],
          arguments: [
            ArgumentSpec(name: "ACTION", completion: .words(actions)), ArgumentSpec(name: "FILE"),
          ], summary: groups[words[0]] ?? command.summary, options: options, run: command.run))
    }
    return commands
  }

  private static var names: String { commands.map(\.name).joined(separator: " ") }

  private static var bash: String {
    var cases = ""
    var values: [String: String] = [:]
    for command in commands {
      let options = (command.options.map { "--" + $0.name } + ["--help"]).joined(separator: " ")
      var words = ""
      for case .words(let list) in command.arguments.map(\.completion) {
        words = list.joined(separator: " ")
      }
      if command.name == "help" { words = names }
      cases += "    \(command.name)) options=\"\(options)\" words=\"\(words)\" ;;\n"
      for option in command.options {
        if case .words(let list) = option.completion {
          values["--" + option.name] = list.joined(separator: " ")
        }
      }
    }
    let valueCases = values.sorted { $0.key < $1.key }.map {
      "    \($0.key)) COMPREPLY=($(compgen -W \"\($0.value)\" -- \"$current\")); return ;;\n"
    }.joined()
    return """
      # Completions of coffer for bash.
      _coffer() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options= words=
        case $previous in
      \(valueCases)  esac
        if ((COMP_CWORD == 1)); then
          COMPREPLY=($(compgen -W "\(names)" -- "$current") $(compgen -f -- "$current"))
          return
        fi
        case ${COMP_WORDS[1]} in
      \(cases)  esac
        if [[ $current == -* ]]; then
          COMPREPLY=($(compgen -W "$options" -- "$current"))
        else
          COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
        fi
      }
      complete -o filenames -F _coffer coffer

      """
  }

  private static var zsh: String {
    var text = "#compdef coffer\n# Completions of coffer for zsh.\n_coffer() {\n"
    text += "  local -a commands=(\n"
    for command in commands { text += "    '\(command.name):\(quoted(command.summary))'\n" }
    text += "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    _files\n"
    text += "    return\n  fi\n  case $words[2] in\n"
    for command in commands {
      text += "    \(command.name)) shift words; ((CURRENT--)); _arguments"
      for option in command.options {
        let help = quoted(option.help).replacing("[", with: "(").replacing("]", with: ")")
        text += " \\\n      '\(option.isRepeatable ? "*" : "")--\(option.name)[\(help)]"
        if let value = option.value {
          text += ":\(quoted(value)):" + action(option.completion)
        }
        text += "'"
      }
      for argument in command.arguments {
        text +=
          " \\\n      '\(argument.isOptional ? ":" : "")"
          + ":\(argument.name):\(action(argument.completion))'"
      }
      text += " ;;\n"
    }
    return text + "  esac\n}\n_coffer \"$@\"\n"
  }

  private static func action(_ completion: OptionSpec.Completion) -> String {
    switch completion {
    case .none: " "
    case .files: "_files"
    case .words(let words): "(" + words.joined(separator: " ") + ")"
    }
  }

  private static var fish: String {
    var text = "# Completions of coffer for fish.\n"
    for command in commands {
      text += "complete -c coffer -n __fish_use_subcommand -a \(command.name) "
      text += "-d '\(quoted(command.summary))'\n"
      for option in command.options {
        text +=
          "complete -c coffer -n '__fish_seen_subcommand_from \(command.name)' -l \(option.name)"
        switch (option.value, option.completion) {
        case (nil, _): break
        case (_, .none): text += " -x"
        case (_, .files): text += " -r"
        case (_, .words(let words)): text += " -x -a '\(words.joined(separator: " "))'"
        }
        text += " -d '\(quoted(option.help))'\n"
      }
      for case .words(let words) in command.arguments.map(\.completion) {
        text += "complete -c coffer -n '__fish_seen_subcommand_from \(command.name)' -f "
        text += "-a '\(words.joined(separator: " "))'\n"
      }
    }
    return text
  }

  /// The text inside single quotes.
  private static func quoted(_ text: String) -> String {
    text.replacing("'", with: "’").replacing(":", with: " -")
  }
}
