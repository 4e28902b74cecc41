import CofferCore

/// A column that tells which rows belong to a parent: the rows' value equals the parent's.
///
/// SQLite compares them by the affinities of both columns and the collation of the rows' column.
struct KeyColumn {
  let parentName: String
  let name: String
  /// The affinity of the parents' column; nil if it isn't a table's or a view's.
  private let parentAffinity: ColumnAffinity?
  /// The affinity of the rows' column; nil if its values may have others.
  private let affinity: ColumnAffinity?
  private let isBinary: Bool

  init(
    _ db: Database, _ columns: (left: String, right: String), parents: String, rows: String
  ) throws {
    (parentName, name) = columns
    parentAffinity = try db.schemaCache.affinity(of: columns.left, in: parents)?.affinity
    let column = try db.schemaCache.affinity(of: columns.right, in: rows)
    // A virtual table's values needn't have the declared type, nor those of a strict table's ANY.
    let isKept = column.map { $0.table.kind != .virtualTable && !$0.isAny } ?? false
    affinity = isKept ? column?.affinity : nil
    isBinary =
      if let table = column?.table, table.kind == .table {
        try db.isBinary(columns.right, in: table.id)
      } else {
        false
      }
  }

  /// How SQLite compares a parent's value with the column, once it is an argument.
  enum Comparison: Hashable {
    case asArgument
    /// With the affinity of the parents' column.
    case asNumber
    /// No row has a value that is equal.
    case never
  }

  /// Whether the rows with this value are those that SQLite finds equal.
  func isEqualAsStored(_ value: DatabaseValue) -> Bool {
    guard let affinity else { return value.storage.isBlob }
    switch value.storage {
    case .null, .blob: return true
    case .int64, .double: return affinity.isNumeric || parentAffinity == .blob
    case .string: return !affinity.isNumeric && isBinary
    }
  }

  /// Returns how SQLite compares a parent's value.
  ///
  /// Between columns, only numeric affinity converts values: a text column keeps the numbers of a
  /// column without a type apart, but not those of an argument.
  func comparison(with value: DatabaseValue) -> Comparison {
    switch value.storage {
    case .null, .blob, .string: return .asArgument
    case .int64, .double:
      if parentAffinity?.isNumeric ?? true {
        return affinity?.isNumeric == true ? .asArgument : .asNumber
      }
      return affinity == .text ? .never : .asArgument
    }
  }

  /// Returns the condition that rows have a parent's value.
  func condition(
    _ rows: SQLExpression, _ value: SQLExpression, _ comparison: Comparison
  ) -> SQLExpression {
    switch comparison {
    case .asArgument: CofferQuery.comparison(.equal, rows, value)
    case .asNumber:
      CofferQuery.comparison(.equal, rows, SQLExpression(.cast(value, type: "NUMERIC")))
    case .never: false.sqlExpression
    }
  }
}

extension DatabaseValue.Storage {
  fileprivate var isBlob: Bool {
    if case .blob = self { true } else { false }
  }
}

extension SchemaCache {
  fileprivate func affinity(
    of column: String, in table: String
  ) throws -> (affinity: ColumnAffinity, isAny: Bool, table: SchemaTable)? {
    guard let object = try object(named: table),
      let info = try self.column(named: column, of: object)
    else { return nil }
    return (ColumnAffinity(declaredType: info.type), info.type.isSameName(as: "ANY"), object)
  }
}

/// Keys of parents that SQLite compares with rows, each with its number.
struct ParentKeys: SQLNode {
  /// The keys, and NULLs so that the number of rows is one of few.
  private let rows: [[DatabaseValue]]

  /// The name of the column with the parent's number.
  static let number = "grdb_parent"

  static func name(ofColumn index: Int) -> String { "grdb_key\(index)" }

  /// The maximum number of keys with some columns, by SQLite's limits on arguments and on terms of
  /// a compound query.
  static func maximumCount(columnCount: Int) -> Int { min(256, 900 / (columnCount + 1)) }

  init(_ keys: [(number: Int, key: [DatabaseValue])]) {
    var rows = keys.map { [$0.number.databaseValue] + $0.key }
    let width = rows.first?.count ?? 0
    let limit = Self.maximumCount(columnCount: width - 1)
    var count = 1
    while count < rows.count { count *= 2 }
    while rows.count < min(count, limit) { rows.append(Array(repeating: .null, count: width)) }
    self.rows = rows
  }

  func render(into renderer: inout SQLRenderer) throws {
    for (index, row) in rows.enumerated() {
      renderer.append(index == 0 ? "SELECT " : " UNION ALL SELECT ")
      for (column, value) in row.enumerated() {
        if column > 0 { renderer.append(", ") }
        renderer.append(value)
        guard index == 0 else { continue }
        renderer.append(" AS \(column == 0 ? Self.number : Self.name(ofColumn: column - 1))")
      }
    }
  }
}
