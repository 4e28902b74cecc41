import CofferCore

/// A document type that tells how its older forms are migrated.
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
/// optional needs ``MigrationRule/defaultValue(_:for:)``, unless the type's own `init(from:)` has a
/// value for a missing key. Where the form of values changes, ``MigrationRule/converted(_:_:from:_:)``
/// and ``MigrationRule/migrated(_:from:_:)`` carry them over. Rules are applied in their order.
public protocol MigratingDocument: Codable {
  /// The rules; those that have nothing to do any more may stay.
  static var migrationRules: [MigrationRule<Self>] { get }
}

/// How the documents of a table follow a change of their type.
public struct MigrationRule<Document: Codable>: Sendable {
  enum Content: Sendable {
    case rename(String, column: String)
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
        "a rule of \(Document.self) is about \(column.description), a part of a column")
    }
    return column
  }

  /// A property, or one of a stored struct.
  static func place(_ property: PartialKeyPath<Document>) throws -> DocumentColumn {
    let column = try DocumentType<Document>.known().column(property)
    guard !column.isInList else {
      throw DocumentError(
        "a rule of \(Document.self) is about \(column.description), an element of a list",
        hint: "Convert the whole list, by .converted.")
    }
    return column
  }

  /// A property had another name: its values stay.
  ///
  /// ```swift
  /// .renamed("title", to: \.name)
  /// .renamed("town", to: \.address.city)  // was `address.town`
  /// ```
  ///
  /// Where the rule comes late, and the property has got a column of its own already, the values are
  /// moved once: documents that have a value under the new name keep it, and what they have under
  /// the old one stays in its column. So it is with properties of stored structs.
  /// - Parameter name: The former coding key. Where SQLite is older than 3.25, the column of that
  ///   name stays too.
  public static func renamed<Value: Codable>(
    _ name: String, to property: KeyPath<Document, Value>
  ) -> MigrationRule {
    MigrationRule {
      let column = try place(property)
      guard column.isNested else { return .rename(name, column: column.name) }
      return .step(NestedRename(old: name, column: column))
    }
  }

  /// Documents that have no value for a property get one: older ones, when its column is made, and
  /// for a property that isn't optional, all that lack it.
  ///
  /// ```swift
  /// .defaultValue("unknown", for: \.author)
  /// .defaultValue("FR", for: \.address.country)
  /// ```
  ///
  /// For the latter, the table is read each time that the collection is first asked for. An optional
  /// property of a stored struct gets the value once, where it is nil; where the struct itself is nil,
  /// nothing is changed.
  public static func defaultValue<Value: Codable>(
    _ value: Value, for property: KeyPath<Document, Value>
  ) -> MigrationRule {
    MigrationRule {
      let column = try place(property)
      guard column.isNested else {
        let value = try DocumentValue.databaseValue(of: value, in: column)
        return .value(.init(column: column, value: value))
      }
      let json = try DocumentValue.json(of: value, in: column).databaseValue
      let rule = CollectionSchema.DefaultValue(column: column, value: json)
      guard try DocumentType<Document>.known().isOptional(column) else { return .value(rule) }
      return .step(NestedFilling(rule: rule))
    }
  }
}

extension MigratingDocument {
  /// The rules, for those who don't know the type.
  static var erasedRules: [Any] { migrationRules }
}
