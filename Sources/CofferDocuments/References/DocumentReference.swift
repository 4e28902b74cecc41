import CofferCore

/// A property that has the identifier of another document.
struct DocumentReference: Sendable {
  /// The column that refers.
  let column: String
  let rule: DeleteRule
  /// The type that is referred to.
  let typeName: String
  let tableName: String
  let keyColumn: String
  /// The collection that is referred to: asked for late, since it may refer back.
  let schema: any ReferencedSchemaSource

  /// The constraint in the table's definition.
  var sql: String {
    TableText.constraint(column: column, table: tableName, key: keyColumn, rule: rule)
  }

  /// The column of a type's identifier.
  ///
  /// - Throws: ``DocumentError`` for one that SQLite can't look up for references.
  static func key<Parent: Codable>(of type: Parent.Type) throws -> String {
    guard let id = try DocumentType<Parent>.known().identifier, id.path.isEmpty else {
      throw DocumentError(
        "\(type) can't be referred to: its id is no stored property",
        hint: "Store the id as a property named id.")
    }
    guard id.collation == nil else {
      throw DocumentError(
        "\(type) can't be referred to: its id has a collation, by which SQLite finds no references",
        hint: "Remove the wrapper from the id.")
    }
    return id.name
  }
}

/// A collection that is referred to, whose type isn't known here.
protocol ReferencedSchemaSource: Sendable {
  func schema() throws -> CollectionSchema
}

struct ReferencedSchema<Parent: Codable>: ReferencedSchemaSource {
  func schema() throws -> CollectionSchema {
    let type = try DocumentType<Parent>.known()
    return try CollectionSchema(type, id: type.identifier)
  }
}
