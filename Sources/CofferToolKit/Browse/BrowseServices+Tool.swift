import Coffer
import CofferArchive
import CofferBrowse
import Foundation

/// What the commands of the tool do, for pages.
struct ToolServices: BrowseServices {
  var engine: String { Tool.engineName }

  func plan(of sql: String, _ db: Database) throws -> (steps: [BrowsedStep], index: String?) {
    (try PlanStep.plan(of: sql, db).map(\.shown), try? IndexAdvice.find(for: sql, db))
  }

  func statement(_ sql: String, _ db: Database) throws -> Statement {
    try Tool.makeSingleStatement(sql, db)
  }

  func searchCondition(_ table: String, _ db: Database) throws -> String? {
    try Tool.fullTextCondition(table, parameter: "?", db)
  }

  func tables(_ db: Database) throws -> [(name: String, kind: String)] {
    try Tool.tableNames(db).map { ($0.name, $0.isVirtual ? "virtual table" : $0.kind) }
  }

  func sizes(_ db: Database) throws -> [(name: String, bytes: Int)] {
    try TableSize.all(db).map { ($0.name, $0.bytes) }
  }

  func check(_ db: Database, _ step: (String) -> Void) throws -> [String] {
    try FileCheck.findings(db, step: step)
  }

  func write(
    _ statement: Statement, _ format: BrowsedFormat, _ sink: @escaping ([UInt8]) throws -> Void
  ) throws {
    let output = ByteOutput(sink: sink)
    let mode: OutputMode = format == .csv ? .csv : .json
    try output.writeRows(of: statement) { mode.format($0, isExact: format == .csv, to: output) }
    try output.flush()
  }

  func compare(
    _ first: Database, _ second: Database, _ found: (BrowsedDifference) throws -> Void
  ) throws {
    try withoutActuallyEscaping(found) { found in
      var diff = DatabaseDiff(first: first, second: second) { try found(($0, $1, $2)) }
      try diff.run()
    }
  }

  /// What `coffer info` tells, with the key slots, the freshness, and what archives the file.
  func facts(_ db: Database) throws -> [(name: String, text: String)] {
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
  fileprivate var shown: BrowsedStep {
    BrowsedStep(text: text, isFullScan: isFullScan, steps: steps.map(\.shown))
  }
}
