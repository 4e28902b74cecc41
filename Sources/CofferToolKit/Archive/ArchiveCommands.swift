import Coffer
import CofferArchive
import Foundation

/// The commands about an archive, without its database.
extension Tool {
  /// `coffer archive restore`
  static func restoreArchive(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let path = invocation.arguments[0]
    let point = try invocation.value("at").map { try ArchivePoint($0) } ?? .latest
    let minimums = try invocation.archiveMinimums()
    // Slots that a killed restore has left are known by their bytes.
    try NewFile.require(path, besides: "-keys")
    // Signals that end the process at once leave nothing, either.
    let partial = [path, path + "-keys"].map { $0 + ".coffer-partial" }
    partial.forEach(Leftovers.add)
    defer { partial.forEach(Leftovers.keep) }
    var bar = ProgressBar("Restoring", total: 1_000, console: console)
    let commit = try invocation.withArchive(console, checksInterrupts: true) {
      archive, key, cipher in
      do {
        return try archive.restore(
          to: path, at: point, atLeast: minimums, key: key, cipher: cipher
        ) { done in
          try Interrupts.check()
          if console.redraws { bar.advance(to: Int(done * 1_000), note: "") }
        }
      } catch let error as ArchiveError {
        guard let name = error.objectName,
          let ranges = try? archive.summary(without: [name], key: key, cipher: cipher).ranges,
          !ranges.isEmpty
        else { throw error }
        throw ToolError(
          .dataError,
          "\(error) Without it, --at can be \(ranges.map(\.text).joined(separator: ", "))")
      }
    }
    bar.finish()
    console.line(
      invocation.has("json")
        ? "{\"commit\":\(commit.number),\"date\":\(JSONRows.quoted(commit.dateText))}"
        : commit.line)
    return 0
  }

  /// `coffer archive list`
  static func listArchive(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let summary = try invocation.withArchive(console) { archive, key, cipher in
      try archive.summary(key: key, cipher: cipher)
    }
    let ranges = summary.ranges
    for problem in summary.problems { console.error("coffer: \(problem)") }
    if invocation.has("json") {
      let objects = ranges.map { range in
        "{\"first\":\(range.first.number),\"firstDate\":\(JSONRows.quoted(range.first.dateText)),"
          + "\"last\":\(range.last.number),\"lastDate\":\(JSONRows.quoted(range.last.dateText))}"
      }
      console.line("[" + objects.joined(separator: ",") + "]")
      return 0
    }
    var table = TextTable([.number("FIRST"), .text("DATE"), .number("LAST"), .text("DATE")])
    for range in ranges {
      table.append([
        "\(range.first.number)", range.first.dateText, "\(range.last.number)", range.last.dateText,
      ])
    }
    for line in table.lines(width: console.width) { console.line(line) }
    return 0
  }

  /// `coffer archive status`
  static func describeArchive(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let summary = try invocation.withArchive(console) { archive, key, cipher in
      try archive.summary(key: key, cipher: cipher)
    }
    var info = FileInfo()
    if let last = summary.last {
      info.add("Last commit", "commit", Int(last.number))
      info.add("Date", "date", last.dateText)
      // Clocks differ by a moment.
      let age = Int(-last.date.timeIntervalSinceNow)
      let (past, ahead) = age < -5 ? (nil, -age) : (max(0, age), nil)
      info.facts.append(
        (
          "Age", "ageSeconds",
          past.map { Numbers.age(.seconds($0)) }
            ?? "unknown: the date lies \(Numbers.age(.seconds(-age))) in the future, by this clock",
          past.map { "\($0)" } ?? "null"
        ))
      if let ahead {
        info.facts.append(("Ahead", "aheadSeconds", Numbers.age(.seconds(ahead)), "\(ahead)"))
      }
    } else {
      info.facts.append(("Last commit", "commit", "none yet", "null"))
    }
    info.add("Ranges", "ranges", summary.ranges.count)
    info.add("Copied pages", "layerBytes", summary.layerByteCount, unit: " bytes")
    info.add("Segments of the log", "segments", summary.segmentCount)
    info.add("Problems", "problems", summary.problems.map { "\($0)" })
    info.add("Page size", "pageSize", summary.pageSize, unit: " bytes")
    info.add("Has a writer", "hasWriter", summary.hasWriter)
    info.facts.append(("Writer", "writer", "\(summary.writer)", "\(summary.writer)"))
    let file = invocation.argument(0)
    let report = file.flatMap { ArchiveSession.report(ofDatabaseAt: $0) }
    if file != nil { info.add(report) }
    if let path = invocation.value("metrics") {
      var metrics = ArchiveMetrics(target: invocation.value("from") ?? "")
      metrics.add(
        "problems", "Objects that are missing or damaged.", Double(summary.problems.count))
      if file != nil { metrics.add(report) }
      try metrics.write(to: path)
    }
    if invocation.has("json") {
      console.line(info.json)
    } else {
      console.facts(info.facts.map { ($0.name, $0.text) })
    }
    if let age = try invocation.duration("max-age") {
      guard let file else { throw ToolError(.usage, "--max-age needs FILE, whose archive it is") }
      try summary.check(report, maximumAge: age, file)
    }
    return 0
  }

  /// `coffer archive verify`
  static func verifyArchive(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let minimums = try invocation.archiveMinimums()
    var bar = ProgressBar("Verifying", total: 1_000, console: console)
    let found = try invocation.withArchive(console, checksInterrupts: true) {
      archive, key, cipher in
      try archive.verification(atLeast: minimums, key: key, cipher: cipher) { done, count in
        try Interrupts.check()
        guard console.redraws, count > 0 else { return }
        bar.advance(to: done * 1_000 / count, note: Numbers.count(done, "object"))
      }
    }
    bar.finish()
    var unreached: ArchiveError?
    for finding in found.findings {
      if case .notReached = finding {
        unreached = unreached ?? finding
      } else {
        console.line("\(finding)".printable)
      }
    }
    console.line(found.last?.line ?? "no commit")
    if let unreached { throw unreached }
    guard found.findings.isEmpty else { return ToolError.Code.found.rawValue }
    if console.isTerminal { console.line("ok") }
    return 0
  }

  /// `coffer archive prune`
  static func pruneArchive(_ invocation: Invocation, _ console: Console) throws -> CInt {
    var configuration = ArchiveConfiguration()
    configuration.retention = try invocation.retention()
    configuration.takesOverWriter = try invocation.takenOver()
    let file = invocation.argument(0)
    let count = try invocation.withArchive(console, configuration) { archive, key, cipher in
      if let file,
        let count = try archive.prune(bySessionOfDatabaseAt: file, key: key, cipher: cipher)
      {
        return count
      }
      do { return try archive.prune(key: key, cipher: cipher) } catch ArchiveError.writerExists {
        throw ToolError(
          .temporary,
          "\(ArchiveError.writerExists) Where that is a run on this machine, name its database, and the run "
            + "prunes: coffer archive prune FILE --from \(invocation.value("from") ?? "")")
      }
    }
    console.line(console.isTerminal ? Numbers.count(count, "deleted object") : "\(count)")
    return 0
  }
}

extension FileInfo {
  fileprivate mutating func add(_ report: ArchiverReport?) {
    guard let report else {
      facts.append(("Archiver", "archiver", "none", "null"))
      return
    }
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    let fields = [
      "\"process\":\(report.process)", "\"target\":\(JSONRows.quoted(report.target))",
      "\"lastCurrent\":\(JSONRows.quoted(report.lastCurrent.formatted(style)))",
      "\"waitingBytes\":\(report.waitingByteCount)",
      "\"waitingCommits\":\(report.waitingCommitCount.map { "\($0)" } ?? "null")",
      "\"gaps\":\(report.gapCount)",
      "\"isWhole\":\(report.isWhole)",
      "\"error\":\(report.error.map(JSONRows.quoted) ?? "null")",
    ]
    facts.append(
      (
        "Archiver", "archiver",
        "process \(report.process), had all commits \(report.lastCurrent.formatted(style)), "
          + Numbers.count(report.gapCount, "gap") + (report.error.map { ": \($0)" } ?? ""),
        "{" + fields.joined(separator: ",") + "}"
      ))
  }
}

extension ArchiveSummary {
  /// Throws if an archive doesn't keep up with a file.
  fileprivate func check(
    _ report: ArchiverReport?, maximumAge: Duration, _ file: String
  ) throws {
    guard let report else {
      throw ToolError(.noArchiver, "\(file): nothing archives it. Start coffer archive run")
    }
    guard problems.isEmpty, report.isWhole else {
      throw ToolError(
        .gap,
        problems.first.map { "\(file): \($0)" }
          ?? "\(file): all pages have to be archived, before the last commits can be restored. Wait"
      )
    }
    let age = Duration.milliseconds(Int(-report.lastCurrent.timeIntervalSinceNow * 1_000))
    guard age <= maximumAge else {
      let reason = report.error.map { ": \($0)" } ?? ". Look at the process \(report.process)"
      throw ToolError(
        .behind, "\(file): the archive lacks commits for \(Numbers.age(age))\(reason)")
    }
  }
}

extension Invocation {
  /// Calls `body` with the archive of `--from`, its key and its settings.
  ///
  /// - Parameter checksInterrupts: Whether `body` ends itself after Ctrl-C. Otherwise the process
  ///   ends at once, since a request can take minutes.
  fileprivate func withArchive<Result>(
    _ console: Console, _ configuration: ArchiveConfiguration = ArchiveConfiguration(),
    checksInterrupts: Bool = false, _ body: (Archive, DatabaseKey, CipherSettings) throws -> Result
  ) throws -> Result {
    let target = value("from") ?? ""
    Tool.tellArchiveLog(console)
    let archive = Archive(try Tool.archiveDestination(target), configuration: configuration)
    let opening = try Opening(self, path: target)
    return try opening.withArchiveKey { key in
      func use() throws -> Result { try body(archive, key, opening.cipher ?? .default) }
      return try checksInterrupts ? Interrupts.handled { try use() } : use()
    }
  }
}
