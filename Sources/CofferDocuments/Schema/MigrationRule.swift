import CofferCore

/// A document type that declares how documents of its older forms are migrated.
///
/// ```swift
/// struct Book: Codable, MigratingDocument {
///   var name: String  // was `title`
///   var author: String  // is new
///
///   static var migrationRules: [MigrationRule<Book>] {
///     [.renamed("title", to: \.name), .defaultValue("unknown", for: \.author)]
///   }
/// }
/// ```
///
/// New optional properties need no rule: they are nil in older documents. A new property that isn't
/// optional needs ``MigrationRule/defaultValue(_:for:)``, unless the type's own `init(from:)`
/// supplies a value for a missing key. If the form of values changes,
/// ``MigrationRule/converted(_:_:from:_:)`` and ``MigrationRule/migrated(_:from:_:)`` convert them.
/// Rules are applied in order.
public protocol MigratingDocument: Codable {
  /// The rules. Rules that have nothing left to do can stay.
  static var migrationRules: [MigrationRule<Self>] { get }
}

/// A rule by which documents are migrated after a change of their type.
public struct MigrationRule<Document: Codable>: Sendable {
  enum Content: Sendable {
    case rename(ColumnRename)
    case value(CollectionSchema.DefaultValue)
    case step(any MigrationStep)
    case index([DocumentColumn], isUnique: Bool)
    case fullText([String])
    case reference(DocumentReference)
    case expiry(DocumentExpiry)
    case failure(any Error)
  }

  let content: Content

  init(_ make: () throws -> Content) {
    do { content = try make() } catch { content = .failure(error) }
  }

  static func column(_ property: PartialKeyPath<Document>) throws -> DocumentColumn {
    let column = try place(property)
    guard column.path.isEmpty else {
      throw DocumentError(
        "a rule of \(Document.self) applies to \(column.description), a part of a column")
    }
    return column
  }

  /// Returns the column of a property, or of a property of a stored struct.
  static func place(_ property: PartialKeyPath<Document>) throws -> DocumentColumn {
    let column = try DocumentType<Document>.known().column(property)
    guard !column.isInList else {
      throw DocumentError(
        "a rule of \(Document.self) applies to \(column.description), an element of a list",
        hint: "Convert the whole list with .converted.")
    }
    return column
  }

  /// Renames a property and keeps its values.
  ///
  /// ```swift
  /// .renamed("title", to: \.name)
  /// .renamed("town", to: \.address.city)  // was `address.town`
  /// ```
  ///
  /// If the property already has a column when the rule is added, the values are moved once:
  /// documents that have a value under the new name keep it, and their value under the old name
  /// stays in its column. The same holds for properties of stored structs.
  /// - Parameter name: The former coding key. With SQLite before 3.25, the column of that name is
  ///   also kept.
  public static func renamed<Value: Codable>(
    _ name: String, to property: KeyPath<Document, Value>
  ) -> MigrationRule {
    MigrationRule {
      let column = try place(property)
      guard column.isNested else { return .rename(ColumnRename(old: name, column: column.name)) }
      return .step(NestedRename(old: name, column: column))
    }
  }

  /// Sets the value of a property in documents that have no value.
  ///
  /// The value is set in older documents when the column is added, and, if the property isn't
  /// optional, in all documents that lack it.
  ///
  /// ```swift
  /// .defaultValue("unknown", for: \.author)
  /// .defaultValue("FR", for: \.address.country)
  /// ```
  ///
  /// For a property that isn't optional, the table is searched each time the collection is first
  /// requested. An optional property of a stored struct gets the value once, where it is nil. Where
  /// the struct itself is nil, nothing changes.
  public static func defaultValue<Value: Codable>(
    _ value: Value, for property: KeyPath<Document, Value>
  ) -> MigrationRule {
    MigrationRule {
      let column = try place(property)
      let rule = CollectionSchema.DefaultValue(
        column: column, value: try DocumentValue.assigned(value, to: column))
      guard column.isNested, try DocumentType<Document>.known().isOptional(column) else {
        return .value(rule)
      }
      return .step(NestedFilling(rule: rule))
    }
  }
}

extension MigratingDocument {
  /// The rules, without their type.
  static var erasedRules: [Any] { migrationRules }
}
