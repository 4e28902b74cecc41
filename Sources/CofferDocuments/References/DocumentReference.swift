import CofferCore

/// A property that holds the identifier of another document.
struct DocumentReference: Sendable {
  /// The referring column.
  let column: String
  let rule: DeleteRule
  /// The referenced type.
  let typeName: String
  let tableName: String
  let keyColumn: String
  /// The schema of the referenced collection, created on demand, since it can refer back.
  let schema: any ReferencedSchemaSource

  /// The constraint in the definition of the table.
  var sql: String {
    TableText.constraint(column: column, table: tableName, key: keyColumn, rule: rule)
  }

  /// Returns the column of a type's identifier.
  ///
  /// - Throws: ``DocumentError`` if SQLite can't look it up for references.
  static func key<Parent: Codable>(of type: Parent.Type) throws -> String {
    guard let id = try DocumentType<Parent>.known().identifier, id.path.isEmpty else {
      throw DocumentError(
        "\(type) can't be referred to: its id is not a stored property",
        hint: "Store the id as a property named id.")
    }
    guard id.collation == nil else {
      throw DocumentError(
        "\(type) can't be referred to: its id has a collation, which SQLite doesn't support for "
          + "references",
        hint: "Remove the wrapper from the id.")
    }
    return id.name
  }
}

/// A referenced collection, without its type.
protocol ReferencedSchemaSource: Sendable {
  func schema() throws -> CollectionSchema
}

struct ReferencedSchema<Parent: Codable>: ReferencedSchemaSource {
  func schema() throws -> CollectionSchema {
    let type = try DocumentType<Parent>.known()
    return try CollectionSchema(type, id: type.identifier)
  }
}
