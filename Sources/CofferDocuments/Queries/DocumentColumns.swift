import CofferCore
import CofferQuery
import FoundationEssentials

/// The properties of documents, as closures get them: `$0.name`.
@dynamicMemberLookup
public enum DocumentColumns<Document: Codable> {
  /// The column of a property.
  public static subscript<Value>(
    dynamicMember keyPath: KeyPath<Document, Value>
  ) -> DocumentExpression<Document, Value> {
    DocumentExpression(keyPath)
  }
}

/// A property of documents, or one of a stored struct in it, in closures.
///
/// It has all operators of typed columns. A path that leads to no stored property makes the query
/// throw when it is executed.
@dynamicMemberLookup
public struct DocumentExpression<Document: Codable, Value>: SQLTypedExpressible {
  /// The Swift type of the values.
  public typealias SQLValue = Value

  private let keyPath: KeyPath<Document, Value>

  init(_ keyPath: KeyPath<Document, Value>) { self.keyPath = keyPath }

  /// A property of the property.
  public subscript<Nested>(
    dynamicMember keyPath: KeyPath<Value, Nested>
  ) -> DocumentExpression<Document, Nested> {
    DocumentExpression<Document, Nested>(self.keyPath.appending(path: keyPath))
  }

  /// The column, compared as the property declares.
  public var sqlExpression: SQLExpression {
    do {
      let column = try DocumentType<Document>.known().column(keyPath)
      guard column.path.isEmpty || !Self.differsInJSON else {
        throw DocumentError(
          "\(Value.self) inside of \(column.name) is stored otherwise than a column's",
          hint: "Use filter(\\.path, equalTo:) and its kin, which know both forms.")
      }
      guard let collation = column.comparing, !collation.isStandard else {
        return SQLExpression(sql: SQL(sql: column.expression(collation: column.comparing)))
      }
      let sql = column.expression(collation: collation)
      return SQLExpression(
        sql: SQL(
          elements: [
            .deferred { db in
              collation.ensure(in: db)
              return SQL(sql: sql)
            }
          ]))
    } catch {
      return SQLExpression(sql: SQL(elements: [.deferred { _ in throw error }]))
    }
  }

  /// Whether JSON has another form of the values than columns have.
  private static var differsInJSON: Bool {
    [
      Date.self, UUID.self, Data.self, Decimal.self, Date?.self, UUID?.self, Data?.self,
      Decimal?.self,
    ]
    .contains { $0 == Value.self }
  }
}
