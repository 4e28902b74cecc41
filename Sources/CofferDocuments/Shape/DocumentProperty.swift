import CofferCore
import CofferQuery

/// What is configured for a property by its wrappers.
struct DocumentPropertyConfig: Hashable, Sendable {
  /// What kind of index there is to be.
  enum Index: Hashable, Sendable {
    case none, index, unique
  }

  /// Nil where none is declared.
  var collation: Collation?
  var index = Index.none

  /// Adds what one wrapper says.
  ///
  /// - Returns: False if it says something else than another one.
  mutating func add(_ config: PropertyConfig) -> Bool {
    switch config {
    case .collation(let collation):
      if let known = self.collation, known != collation { return false }
      self.collation = collation
    case .index(let unique):
      if unique || index == .none { index = unique ? .unique : .index }
    }
    return true
  }
}

/// A stored property of a document, which is a column.
struct DocumentProperty: Sendable {
  /// The coding key, and the column.
  let name: String
  /// The type that is stored, without its wrappers and its optional.
  let type: any Any.Type
  let isOptional: Bool
  let config: DocumentPropertyConfig
  /// What is configured inside of a nested struct.
  let nested: [NestedProperty]
  /// The property as a whole.
  var column: DocumentColumn
  /// What the type knows of the stored struct, as `coffer_json_keep` takes it; nil where there is
  /// none, or where it can't be told.
  var structure: String?

  /// The SQL of a new value of the column, which keeps what the type doesn't know in the old one.
  func keeping(_ value: String) -> String {
    guard let structure else { return value }
    let known = structure.databaseValue.sqlLiteral
    return "coffer_json_keep(\(name.quotedDatabaseIdentifier), \(value), \(known))"
  }
}

/// A configured property of a nested struct.
struct NestedProperty: Hashable, Sendable {
  let column: DocumentColumn
  let config: DocumentPropertyConfig
}
