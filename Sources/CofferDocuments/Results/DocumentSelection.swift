import CofferCore
import CofferRecords
import FoundationEssentials

/// A property that a query selects.
struct DocumentSelection<Value: Decodable>: Sendable {
  let column: DocumentColumn

  /// Decodes the value in a row's column.
  func value(of row: Row, at index: Int) throws -> Value {
    do {
      return column.isNested
        ? try SelectedLeaf<Value>.value(of: row, at: index)
        : try SelectedValue<Value>.value(of: row, at: index)
    } catch let error as RowDecodingError {
      throw error.naming(column: column.description, ofRecord: Value.self)
    }
  }
}

extension QueryBuilder {
  func selection<Value>(
    _ property: KeyPath<Document, Value>
  ) throws -> DocumentSelection<Value> {
    DocumentSelection(column: try collection.type.column(property))
  }

  /// `… AS coffer_0, … AS coffer_1`
  func selection(of columns: [DocumentColumn]) -> String {
    columns.enumerated().map { "\($1.sqlText()) AS coffer_\($0)" }.joined(separator: ", ")
  }

  /// Queries the rows of the query, as a subquery.
  ///
  /// - Parameter selection: The selection in SQL, with the columns named `coffer_0` and so on.
  func rows(
    _ db: Database, _ selection: String, of columns: [DocumentColumn], _ clauses: String = ""
  ) throws -> RowCursor {
    let sql = SQL(
      elements: [.text("SELECT \(selection) FROM (")]
        + (try valid(db).selecting(self.selection(of: columns), from: collection.table)).elements
        + [.text(")\(clauses)")])
    for column in columns { column.comparing?.ensure(in: db) }
    return try CofferCore.Row.fetchCursor(db, SQLRequest<CofferCore.Row>(literal: sql))
  }
}

extension QueryBuilder {
  /// Returns the first row of a query of the query's rows, which outlives its cursor.
  func row(
    _ db: Database, _ selection: String, of columns: [DocumentColumn], _ clauses: String = ""
  ) throws -> CofferCore.Row? {
    let rows = try rows(db, selection, of: columns, clauses)
    return try withExtendedLifetime(rows) { try rows.next()?.copy() }
  }
}

extension DocumentColumn {
  /// The collation clause that compares values of the column as the property declares.
  var collating: String { comparing.map { " COLLATE \($0.sqlName)" } ?? "" }

  /// - Parameter others: The number of non-numeric values, which SQLite would treat as 0.
  func requireNumbers(_ others: DatabaseValue) throws {
    guard others != 0.0.databaseValue else { return }
    throw DocumentError(
      "a stored value of \(description) is no number, so that there is no sum",
      hint: "fetchResults() tells which document has it.")
  }
}
