import Coffer
import CofferArchive
import CofferBrowse
import Foundation

extension BrowseServices {
  /// What the commands of the tool do, for pages.
  static let ofTool = BrowseServices(
    engine: Tool.engineName,
    plan: { sql, db in
      let steps = try PlanStep.plan(of: sql, db)
      return (steps.map(\.shown), try? IndexAdvice.find(for: sql, db))
    },
    statement: { sql, db in try Tool.makeSingleStatement(sql, db) },
    searchCondition: { table, db in
      try Tool.fullTextCondition(table, parameter: "?", db)
    },
    facts: facts,
    sizes: { db in try TableSize.all(db).map { ($0.name, $0.bytes) } },
    check: { db, step in try FileCheck.findings(db, step: step) },
    write: { statement, format, sink in
      let output = ByteOutput(sink: sink)
      let mode: OutputMode = format == .csv ? .csv : .json
      try output.writeRows(of: statement) { mode.format($0, isExact: format == .csv, to: output) }
      try output.flush()
    },
    compare: { first, second, found in
      try withoutActuallyEscaping(found) { found in
        var diff = DatabaseDiff(first: first, second: second) { mark, table, text in
          try found(Difference(mark: mark, table: table, text: text))
        }
        try diff.run()
      }
    })

  /// What `coffer info` tells, with the key slots, the freshness, and what archives the file.
  private static func facts(_ db: Database) throws -> [(name: String, text: String)] {
    var info = FileInfo()
    info.addInspection(DatabaseFile.inspect(at: db.path))
    try info.addSettings(db)
    var facts = info.facts.map { (name: $0.name, text: $0.text) }
    if db.configuration.key != nil {
      facts.append(("Provider", db.cipherProviderDescription))
    }
    if KeySlots.exist(forDatabaseAt: db.path) {
      let slots = try KeySlots.open(forDatabaseAt: db.path).all.map { slot in
        "\(slot.id)" + (slot.label.isEmpty ? "" : " \(slot.label)") + " (\(slot.kind.rawValue))"
      }
      facts.append(("Key slots", slots.joined(separator: ", ")))
    }
    facts.append(
      (
        "Freshness",
        db.configuration.freshness == nil ? "not checked" : "checked against its anchor"
      ))
    var log = stat()
    if stat(db.path + "-wal", &log) == 0 {
      facts.append(("Log", Numbers.grouped(Int(log.st_size)) + " bytes"))
    }
    if let report = ArchiveSession.report(ofDatabaseAt: db.path) {
      let age = Duration.seconds(max(0, -report.lastCurrent.timeIntervalSinceNow))
      facts.append(
        (
          "Archive",
          "had all commits \(Numbers.age(age)) ago, " + Numbers.count(report.gapCount, "gap")
            + (report.error.map { ": \($0)" } ?? "")
        ))
    } else {
      facts.append(("Archive", "nothing archives the file on this machine"))
    }
    return facts
  }
}

extension PlanStep {
  fileprivate var shown: BrowseServices.Step {
    BrowseServices.Step(text: text, isFullScan: isFullScan, steps: steps.map(\.shown))
  }
}
