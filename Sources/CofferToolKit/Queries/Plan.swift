import Coffer

/// A step of a query plan, with the steps inside it.
struct PlanStep {
  let id: Int
  let text: String
  var steps: [PlanStep] = []

  /// Asks SQLite for the plan of a statement.
  static func plan(of sql: String, _ db: Database) throws -> [PlanStep] {
    let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
    // NULL for each parameter: the plan doesn't depend on the values.
    statement.setUncheckedArguments(StatementArguments())
    let rows = try Row.fetchAll(statement)
    // SQLite before 3.24 has no tree: selectid, order, from, detail.
    if rows.first?.hasColumn("parent") != true {
      return rows.enumerated().map { PlanStep(id: $0.offset, text: $0.element["detail"]) }
    }
    let steps = rows.map {
      (parent: $0["parent"] as Int, step: PlanStep(id: $0["id"], text: $0["detail"]))
    }
    func children(of id: Int, depth: Int) -> [PlanStep] {
      guard depth < 100 else { return [] }
      return steps.filter { $0.parent == id }.map { _, step in
        PlanStep(id: step.id, text: step.text, steps: children(of: step.id, depth: depth + 1))
      }
    }
    return children(of: 0, depth: 0)
  }

  /// Whether the step reads a whole table.
  var isFullScan: Bool {
    text.hasPrefix("SCAN ") && !text.contains(" USING ") && !text.contains("VIRTUAL TABLE")
      && !text.contains("CONSTANT ROW") && !text.contains("SUBQUERY") && !text.contains("(subquery")
  }

  /// The table that a step reads, or its alias.
  var table: String? {
    var words = text.split(separator: " ").dropFirst()
    if words.first == "TABLE" { words.removeFirst() }
    return words.first.map(String.init)
  }

  /// All steps, also those inside.
  var all: [PlanStep] { [self] + steps.flatMap(\.all) }

  static func lines(_ steps: [PlanStep], indentation: String = "") -> [String] {
    steps.enumerated().flatMap { index, step -> [String] in
      let isLast = index == steps.count - 1
      let mark = step.isFullScan ? "   <- full scan" : ""
      return [indentation + (isLast ? "└─ " : "├─ ") + step.text.printable + mark]
        + lines(step.steps, indentation: indentation + (isLast ? "   " : "│  "))
    }
  }
}

/// Finds an index that makes a plan better, by trying.
enum IndexAdvice {
  /// Returns the `CREATE INDEX` that spares a full scan of the statement; nil if none does.
  ///
  /// The schema is made again in memory, without rows, and the plan is asked for with each index on
  /// one and then on two of the columns that the statement names.
  static func find(for sql: String, _ db: Database) throws -> String? {
    let before = try PlanStep.plan(of: sql, db).flatMap(\.all)
    guard before.contains(where: \.isFullScan) else { return nil }
    let objects = try SchemaObject.all(db)
    let words = Set(
      sql.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    return try DatabaseQueue().write { copy in
      for object in objects where !object.isInternal && !object.isVirtual {
        // What needs a function or a module that isn't here is left out.
        if let sql = object.sql { try? copy.execute(sql: sql) }
      }
      guard (try? cost(sql, copy)) != nil else { return nil }
      var best: (cost: Int, sql: String)?
      for table in objects where table.kind == "table" && words.contains(table.name.lowercased()) {
        let names = try copy.columns(in: table.name).map(\.name)
        let columns = names.filter { words.contains($0.lowercased()) }.prefix(12)
        for candidate in columns.map({ [$0] })
          + columns.flatMap({ first in
            columns.filter { $0 != first }.map { [first, $0] }
          })
        {
          guard let found = try improvement(table.name, candidate, sql, copy) else { continue }
          if try found < best?.cost ?? cost(sql, copy) {
            best = (found, create(table.name, candidate))
          }
        }
      }
      return best?.sql
    }
  }

  private static func create(_ table: String, _ columns: [String]) -> String {
    let name = ([table] + columns).joined(separator: "_")
    let list = columns.map(shown).joined(separator: ", ")
    return "CREATE INDEX \(shown(name)) ON \(shown(table))(\(list));"
  }

  private static func shown(_ name: String) -> String {
    let isPlain =
      name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      && name.first?.isNumber == false && !Shell.keywords.contains(name.uppercased())
    return isPlain ? name : name.quotedDatabaseIdentifier
  }

  /// The number of full scans and of sorts, which an index can spare.
  private static func cost(_ sql: String, _ db: Database) throws -> Int {
    try PlanStep.plan(of: sql, db).flatMap(\.all).reduce(0) { sum, step in
      sum + (step.text.hasPrefix("SCAN") ? 4 : step.text.contains("AUTOMATIC") ? 3 : 0)
        + (step.text.hasPrefix("USE TEMP B-TREE") ? 1 : 0)
    }
  }

  private static func improvement(
    _ table: String, _ columns: [String], _ sql: String, _ db: Database
  ) throws -> Int? {
    var result: Int?
    try? db.inSavepoint {
      try db.execute(sql: create(table, columns))
      result = try cost(sql, db)
      return .rollback
    }
    return result
  }
}

extension Tool {
  /// `coffer plan`
  static func plan(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let sql = try SQLArgument.read(invocation.arguments[1])
    try invocation.withDatabase { queue in
      try queue.read { try printPlan(of: sql, $0) { console.line($0) } }
    }
    return 0
  }

  static func printPlan(of sql: String, _ db: Database, line: (String) -> Void) throws {
    let statement = try makeSingleStatement(sql, db)
    let steps = try PlanStep.plan(of: statement.sql, db)
    line("QUERY PLAN")
    PlanStep.lines(steps).forEach(line)
    if let index = try? IndexAdvice.find(for: statement.sql, db) {
      line("")
      line("An index for it: \(index)")
    }
  }
}
