import Coffer

/// The words that several commands share.
private let file = ArgumentSpec(name: "FILE")
private let sql = ArgumentSpec(name: "SQL", completion: .none)
private let table = ArgumentSpec(name: "TABLE", completion: .none)
private let source = ArgumentSpec(name: "SOURCE")
private let target = ArgumentSpec(name: "TARGET")

extension OptionSpec {
  /// The options that give a key. Those of a second key begin with `new-`.
  static func keys(_ prefix: String = "") -> [OptionSpec] {
    let whose = prefix.isEmpty ? "the" : "the second"
    return [
      .value(
        prefix + "passphrase-file", "PATH",
        "\(whose) passphrase, in a file; its last line end is "
          + "left out", .files),
      .value(prefix + "passphrase-fd", "N", "a file descriptor with a line, \(whose) passphrase"),
      .value(
        prefix + "passphrase-command", "CMD", "a shell command that prints \(whose) passphrase"),
      .value(
        prefix + "key-file", "PATH", "a raw key in a file: 64 hexadecimal digits or 32 bytes",
        .files),
      .value(prefix + "credential", "NAME", "a credential of systemd, in $CREDENTIALS_DIRECTORY"),
    ]
  }

  /// A recovery key opens slots, but is never a new key.
  static let recoveryKey = value(
    "recovery-key-file", "PATH", "the recovery key of the key slots, in a file", .files)
  static let label = value("label", "TEXT", "the name of the new slot")

  static func cipher(_ prefix: String = "") -> OptionSpec {
    .value(
      prefix + "cipher", "SETTINGS",
      "the settings of the encryption: 3, 4, fast, or a list such as "
        + "page-size=8192,hmac=sha256,kdf-iter=64000", .words(["3", "4", "fast", "page-size="]))
  }

  static let anchor = value(
    "anchor", "PATH",
    "a file that shows whether the database is the newest; made where it is missing", .files)
  /// The options of a command that reads one file.
  static let file = keys() + [recoveryKey, cipher()]
  /// The options of a command that opens the key slots of a file.
  static let slots = keys() + [recoveryKey]
  /// The options of a command that opens one database.
  static let opened = file + [anchor]
  /// The options of a command with a second key.
  static let twoKeys = file + keys("new-")

  static let mode = value(
    "mode", "MODE",
    "the form of the rows: " + OutputMode.names.joined(separator: ", ")
      + "; by default box on a terminal, and csv elsewhere", .words(OutputMode.names))
  static let parameter = value(
    "param", "NAME=VALUE", "the value of the parameter :NAME; can be repeated", isRepeatable: true)
  static let output = value(
    "output", "PATH", "the file to write, instead of standard output", .files)
  static let yes = flag("yes", "don't ask: what is written is plaintext")
  static let json = flag("json", "print one JSON object")
}

extension Tool {
  /// All commands, in the order of the help.
  static let commands: [CommandSpec] = files + rows + wholeFiles + keys + archives + pages + others

  private static let keys: [CommandSpec] = [
    CommandSpec(
      name: "key list", arguments: [file], summary: "list the key slots of a file",
      options: [.json], run: listKeys),
    CommandSpec(
      name: "key add", arguments: [file], summary: "add a key slot, which the second key opens",
      options: OptionSpec.slots + OptionSpec.keys("new-") + [.label], run: addKey),
    CommandSpec(
      name: "key change",
      arguments: [file, ArgumentSpec(name: "ID", isOptional: true, completion: .none)],
      summary: "let the second key open a slot: by default the one that the key opens",
      options: OptionSpec.slots + OptionSpec.keys("new-"), run: changeKey),
    CommandSpec(
      name: "key remove", arguments: [file, ArgumentSpec(name: "ID", completion: .none)],
      summary: "remove a key slot", options: OptionSpec.slots, run: removeKey),
    CommandSpec(
      name: "key recovery", arguments: [file],
      summary: "add a slot for a new recovery key, and print it",
      details: "It is shown once. Write it down, and keep it where the file isn't.",
      options: OptionSpec.slots + [.label], run: addRecoveryKey),
    CommandSpec(
      name: "key export", arguments: [file],
      summary: "print the raw key of the file, for other programs",
      details: "Whoever has it opens the file without a slot, until coffer rekey changes it.",
      options: OptionSpec.slots + [.flag("yes", "don't ask: the key itself is printed")],
      run: exportKey),
    CommandSpec(
      name: "key enable", arguments: [file], summary: "give key slots to a file that has none",
      details: """
        The whole file is encrypted with a new random key. The first slot opens with the second key, \
        or else with the one that the file had.
        """,
      options: OptionSpec.twoKeys + [.label], run: enableKeys),
  ]

  private static let files: [CommandSpec] = [
    CommandSpec(
      name: "create", arguments: [file], summary: "create an encrypted database",
      details: "The file may not exist yet. A new passphrase is asked for twice.",
      options: OptionSpec.keys() + [
        .cipher(), .anchor,
        .flag("slots", "with key slots beside it, of which the key opens the first"), .label,
      ], run: createFile),
    CommandSpec(
      name: "info", arguments: [file],
      summary: "tell what a file is, without its key; with it, more",
      options: OptionSpec.opened + [.json], run: info),
    CommandSpec(
      name: "shell", arguments: [file], summary: "open the interactive shell; coffer FILE does too",
      details: "Statements end with a semicolon. Commands begin with a period; .help lists them.",
      options: OptionSpec.opened + [.mode], run: shell),
  ]

  private static let rows: [CommandSpec] = [
    CommandSpec(
      name: "query", arguments: [file, sql], summary: "print the rows of one query, read-only",
      details: "SQL is read from standard input if it is -.",
      options: OptionSpec.opened + [.parameter, .mode], run: query),
    CommandSpec(
      name: "exec", arguments: [file, sql],
      summary: "execute statements that write, in one transaction",
      details: "Prints the number of changed rows. SQL is read from standard input if it is -.",
      options: OptionSpec.opened + [.parameter], run: execute),
    CommandSpec(
      name: "tables", arguments: [file], summary: "list the tables and views",
      options: OptionSpec.opened, run: tables),
    CommandSpec(
      name: "schema",
      arguments: [file, ArgumentSpec(name: "NAME", isOptional: true, completion: .none)],
      summary: "print the SQL of the schema, or of one table, view, index or trigger",
      options: OptionSpec.opened, run: schema),
    CommandSpec(
      name: "stats", arguments: [file], summary: "list the tables by size",
      options: OptionSpec.opened + [.json], run: stats),
    CommandSpec(
      name: "plan", arguments: [file, sql],
      summary: "show how a query is executed, and propose an index",
      options: OptionSpec.opened, run: plan),
    CommandSpec(
      name: "import", arguments: [file, table, source],
      summary: "insert rows from a file, or from -",
      details: """
        All rows are inserted, or none: a line that doesn't fit is named by its number. CSV follows \
        RFC 4180, and its first line names the columns if it has the names of some. An empty field \
        without quotes is NULL. Blobs are in base64.
        """,
      options: OptionSpec.opened + [
        .value(
          "format", "FORMAT", "csv, tsv, json or ndjson; by default after the name of SOURCE",
          .words(ImportFormat.allCases.map(\.rawValue))),
        .flag("create", "create the table if it is missing, with the detected types"),
        .value("upsert", "COLUMN,…", "update the rows whose values in these columns exist"),
        .value("types", "NAME:TYPE,…", "types that are not to be detected"),
      ], run: importRows),
    CommandSpec(
      name: "export",
      arguments: [file, ArgumentSpec(name: "TABLE", isOptional: true, completion: .none)],
      summary: "write the rows of a table or a query",
      options: OptionSpec.opened + [
        .value("sql", "SQL", "the query whose rows are written"),
        .parameter,
        .value(
          "format", "FORMAT",
          ExportFormat.names.joined(separator: ", ")
            + "; by default after the name of the output, or csv",
          .words(ExportFormat.names)),
        .output,
      ], run: exportRows),
    CommandSpec(
      name: "dump", arguments: [file],
      summary: "print SQL that makes the database again, in plaintext",
      options: OptionSpec.opened + [.output, .yes], run: dump),
    CommandSpec(
      name: "search", arguments: [file, table, ArgumentSpec(name: "PATTERN", completion: .none)],
      summary: "print the rows that match a full-text pattern",
      details: "Where the table has no full-text index, the rows whose text contains PATTERN.",
      options: OptionSpec.opened + [.mode], run: search),
  ]

  private static let wholeFiles: [CommandSpec] = [
    CommandSpec(
      name: "check", arguments: [file],
      summary: "check authentication, structure, foreign keys and full-text indexes",
      details: """
        Ends with the exit code 3, and a list, if something is wrong. With --anchor, it also checks that \
        nothing older was put back, and ends with the exit code 65 otherwise.
        """,
      options: OptionSpec.opened, run: check),
    CommandSpec(
      name: "accept", arguments: [file],
      summary: "make a database that was replaced on purpose the newest for its anchor",
      details:
        "After a backup was brought back. Nothing shows whether the database is the right one.",
      options: OptionSpec.opened + [.flag("yes", "don't ask")], run: accept),
    CommandSpec(
      name: "salvage", arguments: [file, target],
      summary: "save what is left of a damaged or truncated file to a new one",
      details: """
        The new file has the same key. Rows whose table can't be told are in the table \
        lost_and_found. Ends with the exit code 3 if something was lost. Without a key option, a \
        file that looks encrypted asks for its passphrase. What a hostile file can make the new one \
        grow to is limited in proportion to its size; the limits that were reached are told.
        """,
      options: OptionSpec.file + [.flag("no-limits", "for a file that is trusted"), .json],
      run: salvage),
    CommandSpec(
      name: "encrypt", arguments: [source, target], summary: "write an encrypted copy",
      options: OptionSpec.twoKeys + [.cipher("new-")], run: encrypt),
    CommandSpec(
      name: "decrypt", arguments: [source, target], summary: "write a plaintext copy",
      options: OptionSpec.file + [.yes], run: decrypt),
    CommandSpec(
      name: "convert", arguments: [source, target],
      summary: "write a copy with other settings, such as from SQLCipher 3 to 4",
      options: OptionSpec.twoKeys + [.cipher("new-")], run: convert),
    CommandSpec(
      name: "rekey", arguments: [file], summary: "encrypt the whole file with another key",
      details: """
        A file with key slots gets a new random key, and one slot, which the second key opens: the \
        other slots are gone. Ctrl-C waits for the end of the change. A second one ends the tool, and \
        the next opening of the file undoes the change.
        """,
      options: OptionSpec.twoKeys + [
        .anchor, .flag("yes", "don't ask whether other slots may go"),
      ],
      run: rekey),
    CommandSpec(
      name: "keygen", arguments: [ArgumentSpec(name: "PATH")],
      summary: "write a random raw key to a new file that only its owner can read",
      run: keygen),
    CommandSpec(
      name: "backup", arguments: [file, target],
      summary: "write an encrypted copy while the file is in use",
      options: OptionSpec.twoKeys + [.anchor], run: backup),
    CommandSpec(
      name: "diff", arguments: [file, file],
      summary: "compare the schemas and the rows of two files",
      details: "Ends with the exit code 3 if they differ. The second file can have a second key.",
      options: OptionSpec.twoKeys + [.cipher("new-")], run: diff),
  ]

  private static let others: [CommandSpec] = [
    CommandSpec(
      name: "inspect", arguments: [file], summary: "describe a file without its key",
      run: { invocation, console in
        try inspect(invocation.arguments[0], console)
        return 0
      }),
    CommandSpec(
      name: "completions",
      arguments: [ArgumentSpec(name: "SHELL", completion: .words(["bash", "zsh", "fish"]))],
      summary: "print the completions for bash, zsh or fish",
      run: { invocation, console in
        console.write(try Completions.text(shell: invocation.arguments[0]))
        return 0
      }),
    CommandSpec(
      name: "man", arguments: [], summary: "print the manual page, for man -l -",
      run: { _, console in
        console.write(ManPage.text)
        return 0
      }),
    CommandSpec(
      name: "version", arguments: [], summary: "print the versions",
      run: { _, console in
        printVersion(console)
        return 0
      }),
    CommandSpec(
      name: "help",
      arguments: [
        ArgumentSpec(name: "COMMAND", isOptional: true, completion: .none),
        ArgumentSpec(name: "ACTION", isOptional: true, completion: .none),
      ],
      summary: "list the commands, or describe one",
      run: { invocation, console in
        let name = invocation.arguments.joined(separator: " ")
        console.write(try Help.text(name.isEmpty ? nil : name))
        return 0
      }),
  ]
}
