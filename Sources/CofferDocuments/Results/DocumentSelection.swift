import CofferCore
import CofferRecords
import FoundationEssentials

/// A property that a query selects.
struct DocumentSelection<Value: Decodable>: Sendable {
  let column: DocumentColumn

  /// Decodes the value in a row's column.
  func value(of row: Row, at index: Int) throws -> Value {
    if column.numbers == .unsigned, case .string(let number) = row.databaseValue(at: index).storage
    {
      return try value(ofJSON: number)
    }
    do {
      let row = Row(
        columnNames: [SelectedValue<Value>.columnName], values: [row.databaseValue(at: index)])
      return column.isNested
        ? try SelectedLeaf<Value>(row: row).value : try SelectedValue<Value>(row: row).value
    } catch let error as RowDecodingError {
      throw error.naming(column: column.description, ofRecord: Value.self)
    }
  }

  /// Fetches the values of a query that selects the column alone, under the name of
  /// ``SelectedValue``.
  func fetchAll(_ db: Database, _ sql: SQL) throws -> [Value] {
    if column.numbers == .unsigned {
      let rows = SQLRequest<Row>(literal: sql)
      return try rows.fetchAll(db).map { try value(of: $0, at: 0) }
    }
    if let values = try PlainValues.fetchAll(Value.self, sql, db) { return values }
    let request = SQLRequest<Never>(literal: sql)
    return column.isNested
      ? try SelectedLeaf<Value>.fetchAll(db, request).map(\.value)
      : try SelectedValue<Value>.fetchAll(db, request).map(\.value)
  }
}

extension DocumentSelection {
  /// Decodes a number that SQLite's integers don't have.
  private func value(ofJSON number: String) throws -> Value {
    do {
      // In a list, since decoders can refuse single values.
      return try JSONDecoder().decode([Value].self, from: Data("[\(number)]".utf8))[0]
    } catch {
      throw DocumentError(
        "a number of \(column.description) is out of the range of \(Value.self)")
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

  /// Returns the request of the query's rows, as a subquery.
  ///
  /// - Parameter selection: The selection in SQL, with the columns named `coffer_0` and so on.
  func request(
    _ db: Database, _ selection: String, of columns: [DocumentColumn], _ clauses: String = ""
  ) throws -> SQLRequest<CofferCore.Row> {
    let rows = try valid(db).selecting(self.selection(of: columns), from: collection.table)
    for column in columns { column.comparing?.ensure(in: db) }
    return SQLRequest(literal: "SELECT \(sql: selection) FROM (\(rows))\(sql: clauses)")
  }
}

extension DocumentColumn {
  /// The collation clause that compares values of the column as the property declares.
  var collating: String { comparing.map { " COLLATE \($0.sqlName)" } ?? "" }

  /// - Parameter others: The number of non-numeric values, which SQLite would treat as 0.
  func requireNumbers(_ others: DatabaseValue) throws {
    guard others != 0.0.databaseValue else { return }
    throw DocumentError(
      "a stored value of \(description) is not a number, so there is no sum",
      hint: "Find the document with fetchResults().")
  }
}
