import CofferCore
import CofferQuery

/// The configuration of a property by its wrappers.
struct DocumentPropertyConfig: Hashable, Sendable {
  /// The kind of index to create.
  enum Index: Hashable, Sendable {
    case none, index, unique
  }

  /// The declared collation, if any.
  var collation: Collation?
  var index = Index.none

  /// Adds the configuration of one wrapper.
  ///
  /// - Returns: False if it contradicts another wrapper.
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

/// A stored property of a document, and its column.
struct DocumentProperty: Sendable {
  /// The coding key, which is also the name of the column.
  let name: String
  /// The stored type, without wrappers and optionals.
  let type: any Any.Type
  let isOptional: Bool
  let config: DocumentPropertyConfig
  /// The configured properties inside a stored struct.
  var nested: [(column: DocumentColumn, config: DocumentPropertyConfig)]
  /// The column of the whole property.
  var column: DocumentColumn
  /// The keys of the stored struct that the type knows, in the form that `coffer_json_keep` takes;
  /// nil if the value isn't a struct, or its keys can't be determined.
  var structure: String?

  /// Returns the SQL of a new value that keeps the members of the old value which the type doesn't
  /// know.
  func keeping(_ value: String) -> String {
    guard let structure else { return value }
    let known = structure.databaseValue.sqlLiteral
    return "coffer_json_keep(\(name.quotedDatabaseIdentifier), \(value), \(known))"
  }
}
