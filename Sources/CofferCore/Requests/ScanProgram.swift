import CofferVault

/// What SQLite's program for a query says about the order of its rows: the cursors that it opens,
/// how it moves them, and whether it sorts.
struct ScanProgram {
  private struct Step: Equatable {
    let name: String
    /// The page of an opened table or index.
    let root: Int64
  }

  private var steps: [Step] = []
  private var countdowns: Set<String> = []
  private var openedTables = 0
  private var openedIndexes = 0

  /// Whether each row of the table gives one row, by functions that always have the same results.
  private(set) var isRowwise = true

  /// Whether SQLite sorts the rows.
  private(set) var isSorted = false

  /// Whether the query has a limit, and its rows are sorted in a table of so many.
  private let isLimited: Bool

  /// Whether a single cursor visits the rows in the ascending order of their rowids: SQLite's sort
  /// is stable, so that rows with equal keys stay in that order. With a limit, it drops the last
  /// of the rows that are sorted so far, or a row that isn't less than it.
  var visitsRowIDsForward: Bool {
    openedTables == 1 && openedIndexes == 0
      && !steps.contains {
        ScanProgram.otherMoves.contains($0.name) && !(hasSortTable && isSortTable($0))
      } && steps.count { ScanProgram.beginnings.contains($0.name) } == 1
  }

  /// Whether the only temporary table is that of a limited sort.
  private var hasSortTable: Bool {
    isLimited && isSorted && !steps.contains { $0.name == "SorterOpen" }
      && steps.count { $0.name == "OpenEphemeral" } == 1
  }

  /// Whether a step can be one of the sort's: a table that is visited backward has `Prev`, too.
  private func isSortTable(_ step: Step) -> Bool {
    step.name == "OpenEphemeral" || step.name == "Last"
  }

  /// Explains a query.
  init(_ db: Database, _ query: _ListQuery.Query, isLimited: Bool = false) throws {
    self.isLimited = isLimited
    let program = try Row.fetchCursor(
      db, sql: "EXPLAIN " + query.sql, arguments: query.arguments)
    while let step = try program.next() {
      guard let name = step["opcode"] as String? else { continue }
      add(name, db, root: step["p2"], detail: step["p4"] ?? "")
    }
  }

  private mutating func add(_ name: String, _ db: Database, root: Int64, detail: String) {
    if name == "OpenRead" {
      steps.append(Step(name: name, root: root))
      // The description of an index's keys.
      if detail.hasPrefix("k(") { openedIndexes += 1 } else { openedTables += 1 }
    } else if ScanProgram.prefixesOfMoves.contains(where: name.hasPrefix) {
      steps.append(Step(name: name, root: 0))
      if name.hasPrefix("Sort") { isSorted = true }
    } else if isLimited, ScanProgram.countdowns.contains(name), !countdowns.contains(name) {
      // One belongs to the request's limit, and another to a limit within.
      countdowns.insert(name)
    } else if name.hasPrefix("Agg") || ScanProgram.countdowns.contains(name)
      || ScanProgram.others.contains(name)
    {
      isRowwise = false
    } else if name.hasSuffix("Func") || name.hasPrefix("Function") {
      let function = detail.prefix { $0 != "(" }
      if !db.isDeterministic(function: String(function)) { isRowwise = false }
    }
  }

  private static let prefixesOfMoves = [
    "Rewind", "Last", "Next", "Prev", "Seek", "NotExists", "Sort", "RowSet", "IdxG", "IdxL",
    "OpenAuto", "OpenEphemeral", "VFilter", "VNext", "Yield", "Deferred",
  ]

  private static let beginnings: Set = ["Rewind", "SeekGE", "SeekGT"]

  private static let otherMoves: Set = [
    "Last", "Prev", "SeekLE", "SeekLT", "SeekRowid", "NotExists", "RowSetTest", "RowSetRead",
    "OpenAutoindex", "VFilter", "Yield", "OpenEphemeral",
  ]

  /// Instructions of limits.
  private static let countdowns: Set = ["DecrJumpZero", "IfNotZero"]

  /// Instructions of counts, offsets and programs within.
  private static let others: Set = ["Count", "OffsetLimit", "IfPos", "InitCoroutine", "Program"]
}

extension ScanProgram: Equatable {
  /// Whether both visit the same rows in the same way.
  static func == (lhs: ScanProgram, rhs: ScanProgram) -> Bool { lhs.steps == rhs.steps }
}

extension _ListQuery {
  /// Returns the direction of the rowids by which a list has to be ordered after the request's own
  /// order, so that it has all rows in the order in which the request itself has them.
  ///
  /// SQLite says it: its program for both is the same, except for what it selects.
  /// - Parameters:
  ///   - isLimited: Whether both have a limit.
  ///   - listing: Returns the list's query with a descending or an ascending order.
  /// - Returns: Whether it is descending; nil if it is neither, or if a row of the result can
  ///   depend on several rows of the table.
  package static func isDescending(
    _ plain: Query, isLimited: Bool = false, _ db: Database,
    listing: (_ isDescending: Bool) throws -> Query
  ) throws -> Bool? {
    let program = try ScanProgram(db, plain, isLimited: isLimited)
    guard program.isRowwise, !program.isSorted || program.visitsRowIDsForward else { return nil }
    for isDescending in program.isSorted ? [false] : [false, true] {
      let listing = try ScanProgram(db, listing(isDescending), isLimited: isLimited)
      if listing == program { return isDescending }
    }
    return nil
  }
}

extension Database {
  /// Whether a function surely has the same results for the same arguments.
  fileprivate func isDeterministic(function name: String) -> Bool {
    let name = name.lowercased()
    let added = functions.additions.functions.values.filter { $0.id.name == name }
    if !added.isEmpty { return added.allSatisfy(\.isPure) }
    return Database.deterministicFunctions.contains(name)
      || DatabaseFunction.standard.contains { $0.id.name == name && $0.isPure }
  }

  private static let deterministicFunctions: Set<String> = [
    "abs", "char", "coalesce", "glob", "hex", "ifnull", "iif", "instr", "length", "like", "lower",
    "ltrim", "max", "min", "nullif", "quote", "replace", "round", "rtrim", "sign", "substr",
    "substring", "trim", "typeof", "unicode", "upper", "->", "->>", "json_extract", "json_type",
    "json_valid", "json_array_length",
  ]
}
