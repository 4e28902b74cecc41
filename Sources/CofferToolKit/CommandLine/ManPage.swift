/// The text of `coffer man`, in the language of man(7).
enum ManPage {
  static var text: String {
    var lines = [
      ".TH COFFER 1 \"\" \"coffer \(Tool.version)\" \"User Commands\"",
      ".SH NAME", "coffer \\- encrypted databases on the command line",
      ".SH SYNOPSIS", ".B coffer", "\\fICOMMAND\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR ...",
      ".br", ".B coffer", "\\fIFILE\\fR",
      ".SH DESCRIPTION",
      "Opens, queries, checks and converts databases that are encrypted with SQLCipher.",
      "\\fBcoffer\\fR \\fIFILE\\fR opens the interactive shell.",
      "A file is only changed by the commands that say so.",
      ".SH COMMANDS",
    ]
    for command in Tool.commands {
      lines.append(".SS \"\(escaped(command.form))\"")
      lines.append(
        escaped(command.summary.prefix(1).uppercased() + command.summary.dropFirst()) + ".")
      if !command.details.isEmpty { lines.append(escaped(command.details)) }
      for option in command.options where !isShared(option) {
        lines += [".TP", ".B \(escaped(option.form))", escaped(option.help) + "."]
      }
    }
    lines += [
      ".SH KEYS",
      "A key comes from a prompt on the terminal or from one of these options,",
      "and from nothing else: not from the command line, and not from the environment.",
      "For a second key, each of them begins with \\fB\\-\\-new\\-\\fR.",
    ]
    for option in OptionSpec.opened {
      lines += [".TP", ".B \(escaped(option.form))", escaped(option.help) + "."]
    }
    lines += [".SH EXIT STATUS"]
    for (code, text) in exitCodes { lines += [".TP", ".B \(code)", escaped(text) + "."] }
    lines += [
      ".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "If set, nothing is bold or dim.",
      ".TP", ".B PAGER", "The pager of the shell; by default less.",
      ".TP", ".B CREDENTIALS_DIRECTORY", "The folder of \\fB\\-\\-credential\\fR, set by systemd.",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private static let exitCodes: [(Int, String)] = [
    (0, "Done"), (1, "SQL or data failed"), (2, "The command line is wrong"),
    (3, "check, diff or archive verify has found something, or an archive is behind --at-least"),
    (65, "The file or the archive is damaged, was replaced, has other settings, or is none"),
    (66, "There is no such file, archive or commit"),
    (69, "The tool was built without what is needed"),
    (70, "An internal error"), (73, "A file can't be created"),
    (74, "Reading or writing failed"), (75, "Another program uses the file or the archive"),
    (76, "A follower can't go on, or its file would be written to"),
    (77, "The key is wrong or missing"), (130, "Interrupted"), (141, "The output was closed"),
  ]

  private static func isShared(_ option: OptionSpec) -> Bool {
    (OptionSpec.twoKeys + [.cipher("new-"), .anchor]).contains {
      $0.name == option.name && $0.help == option.help
    }
  }

  private static func escaped(_ text: some StringProtocol) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "…": result += "..."
      case "\"": result += "\\(dq"
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
  }
}
