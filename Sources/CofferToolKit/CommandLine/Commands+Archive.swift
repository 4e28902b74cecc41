extension OptionSpec {
  /// Where the archive is that a command reads.
  fileprivate static let from = place("from")

  fileprivate static func place(_ name: String, isRequired: Bool = true) -> OptionSpec {
    value(
      name, "TARGET", "the archive's place: a folder, or s3://bucket/prefix", .files,
      isRequired: isRequired)
  }

  /// What the archive has to reach, for a command that reads its end.
  fileprivate static let minimums = [
    value("at-least", "POINT", "the COMMIT or the DATE that the archive has to reach"),
    value(
      "anchor", "PATH", "the file whose last archived commit the archive has to reach", .files),
  ]

  fileprivate static let metrics = value(
    "metrics", "PATH", "a file that gets the figures as Prometheus reads them", .files)

  fileprivate static let within = value(
    "within", "SECONDS",
    "the most time that an end takes, if the target doesn't answer; by default 30")

  fileprivate static let takeOver = value(
    "take-over", "WRITER",
    "go on with the archive of the writer with this number, which has to be gone for good")

  /// The options that say for how long an archive is kept.
  fileprivate static let retention = [
    keep("commits", "each commit; by default 1d"),
    keep("5min", "a state each 5 minutes; by default 3d"),
    keep("hours", "a state each hour; by default 14d"),
    keep("days", "a state each day; by default 90d"),
  ]

  private static func keep(_ name: String, _ what: String) -> OptionSpec {
    value("keep-" + name, "DURATION", "for how long to keep " + what)
  }
}

extension Tool {
  static let archives: [CommandSpec] = [
    CommandSpec(
      name: "archive run", arguments: [ArgumentSpec(name: "FILE", isOptional: true)],
      summary: "archive each commit of a file, until Ctrl-C or SIGTERM",
      details: """
        Commits of other programs are archived, too. At the end, the last ones are archived; a second \
        Ctrl-C ends at once. Where the target is away, it is tried again. A DURATION is a number with s, min, \
        h or d. Without --config, FILE and --to are needed; with it, neither: the file has sections with \
        databases, targets and keys, and SIGHUP has it read again.
        """,
      options: OptionSpec.opened + [
        .place("to", isRequired: false),
        .value("config", "PATH", "a file that names the databases to archive, and how", .files),
        .flag("once", "archive what is there, and end"),
        .value("interval", "SECONDS", "the time between two looks at the file; by default 1"),
        .within, .metrics,
        .value(
          "log", "FORM", "write a line for each event to the error output: text or json",
          .words(["text", "json"])),
        .value(
          "snapshots", "DURATION", "the time between two copies of all pages; by default 7d"),
        .value(
          "layers", "TIMES",
          "the times between two copies of what has changed, of three sizes; by default 5min,1h,1d"),
        .value(
          "log-limit", "MIB",
          "how much of the file's log may wait for a target that is away; by default 1024"),
        .takeOver,
      ] + OptionSpec.retention, run: runArchive),
    CommandSpec(
      name: "archive restore", arguments: [ArgumentSpec(name: "FILE")],
      summary: "write a file as of a commit, by default the last one",
      details: """
        The new file has the same key, and the same key slots. A DATE is 2026-11-23T17:00:00Z, \
        2026-11-23 17:00 by local time, or 2026-11-23, the end of that day: the last commit until then \
        is restored. Ends with the exit code 3 if the archive doesn't reach --at-least: the DATE of a day is \
        its beginning there.
        """,
      options: OptionSpec.file + [
        .from, .json, .value("at", "POINT", "latest, a COMMIT's number, or a DATE"),
      ] + OptionSpec.minimums, run: restoreArchive),
    CommandSpec(
      name: "archive follow", arguments: [ArgumentSpec(name: "FILE")],
      summary: "keep a copy for reading at the last commit, until Ctrl-C or SIGTERM",
      details: """
        The first time, the file is restored. Other programs may read it meanwhile, but not write to it. \
        Where the target is away, it is tried again. If the archive doesn't reach --at-least, it ends with \
        the exit code 3, and with 76 if the file was written to, or the archive has another history.
        """,
      options: OptionSpec.file + OptionSpec.minimums + [
        .from, .flag("once", "bring the file to the last commit, and end"),
        .value("interval", "SECONDS", "the time between two looks at the archive; by default 1"),
        .within,
      ], run: followArchive),
    CommandSpec(
      name: "archive promote", arguments: [ArgumentSpec(name: "FILE")],
      summary: "make a copy that follows an archive the database that is archived",
      details: """
        Brings the copy to the last commit, takes the archive over, and leaves a file that programs can write \
        to. archive run FILE goes on with the same archive. The writer before has to be gone for good: it \
        is refused when it comes back.
        """,
      options: OptionSpec.file + OptionSpec.minimums + [.from], run: promoteFollower),
    CommandSpec(
      name: "archive list", arguments: [], summary: "list what can be restored from an archive",
      details: "Each commit in a range can be.", options: OptionSpec.file + [.from, .json],
      run: listArchive),
    CommandSpec(
      name: "archive status", arguments: [ArgumentSpec(name: "FILE", isOptional: true)],
      summary: "tell how far an archive is, and whether it keeps up with FILE",
      details: """
        With FILE, also tells how far the run that archives it is. With --max-age, ends with 4 if the archive \
        didn't have all commits for longer, with 5 if nothing archives FILE, and with 6 if the archive has lost \
        something or has to archive all pages again. A DURATION is a number with s, min, h or d.
        """,
      options: OptionSpec.file + [
        .from, .json, .metrics,
        .value("max-age", "DURATION", "for how long the archive may lack commits of FILE"),
      ], run: describeArchive),
    CommandSpec(
      name: "archive verify", arguments: [], summary: "read a whole archive, and verify all of it",
      details: """
        Prints the last commit. Ends with the exit code 3, and a list, if something is wrong, and with an \
        error and the same code if the archive doesn't reach --at-least.
        """,
      options: OptionSpec.file + [.from] + OptionSpec.minimums, run: verifyArchive),
    CommandSpec(
      name: "archive prune", arguments: [ArgumentSpec(name: "FILE", isOptional: true)],
      summary: "delete what is no longer to be kept",
      details: """
        Prints the number of deleted objects. The last commit is kept in any case. archive run does \
        this itself. Where a run archives FILE, it is asked to do it, once. A DURATION is a number with s, min, h or d.
        """,
      options: OptionSpec.file + [.from] + OptionSpec.retention + [.takeOver], run: pruneArchive),
  ]
}
