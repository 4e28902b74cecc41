import CofferCore
import CofferRecords
import FoundationEssentials

/// An aggregate of a query's documents, or of each group of them.
struct DocumentAggregate<Document: Codable, Value: Decodable>: Sendable {
  let query: QueryBuilder<Document>
  /// The column of the property; nil for a count.
  var column: DocumentColumn?
  let result: DocumentSelection<Value>
  /// Returns the SQL of the aggregate of a column, and of the number of values that it can't
  /// aggregate.
  let sql: @Sendable (_ column: String, Database) -> String

  /// Returns the aggregate of all documents; nil if there are no values.
  func fetch() throws -> Value? { try query.collection.reading { try fetch($0) } }

  private func fetch(_ db: Database) throws -> Value? {
    let columns = column.map { [$0] } ?? []
    let request = try query.request(db, sql("coffer_0", db), of: columns)
    guard let row = try request.fetchOne(db) else { return nil }
    try column?.requireNumbers(row.databaseValue(at: 1))
    return row.databaseValue(at: 0).isNull ? nil : try result.value(of: row, at: 0)
  }
}

extension DocumentAggregate where Document: _SendableMetatype, Value: Sendable {
  /// Returns the aggregate of all documents, on another thread; nil if there are no values.
  func fetch() async throws -> Value? { try await query.collection.reading { try fetch($0) } }
}

extension QueryBuilder {
  func counting() -> DocumentAggregate<Document, Int> {
    let result = DocumentSelection<Int>(column: DocumentColumn(name: "count"))
    return DocumentAggregate(query: self, result: result) { _, _ in "count(*), 0.0" }
  }

  /// - Parameter number: The type of the property's numbers.
  func summing<Number: Decodable>(
    _ property: PartialKeyPath<Document>, of number: Number.Type
  ) throws -> DocumentAggregate<Document, Number> {
    let column = try collection.type.column(property)
    let isDecimal = column.hasNumericTexts
    return DocumentAggregate(
      query: self, column: column, result: DocumentSelection(column: column)
    ) { NumberAggregate.sum.sql($0, isDecimal: isDecimal, $1) }
  }

  func averaging(
    _ property: PartialKeyPath<Document>
  ) throws -> DocumentAggregate<Document, Double> {
    let column = try collection.type.column(property)
    let isDecimal = column.hasNumericTexts
    // A mean isn't stored as the property's values are.
    let result = DocumentSelection<Double>(column: DocumentColumn(name: column.name))
    return DocumentAggregate(query: self, column: column, result: result) {
      NumberAggregate.mean.sql($0, isDecimal: isDecimal, $1)
    }
  }

  /// - Parameter function: `min` or `max`.
  func extreme<Value: Decodable>(
    _ function: String, _ property: PartialKeyPath<Document>, of type: Value.Type
  ) throws -> DocumentAggregate<Document, Value> {
    let column = try collection.type.column(property)
    return DocumentAggregate(
      query: self, column: column, result: DocumentSelection(column: column)
    ) { name, _ in "\(function)(\(name)\(column.collating)), 0.0" }
  }
}
