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
/// New optional properties need no rule: they are nil in older documents.
public protocol MigratingDocument: Codable {
  /// The rules; those that have nothing to do any more may stay.
  static var migrationRules: [MigrationRule<Self>] { get }
}

/// How the documents of a table follow a change of their type.
public struct MigrationRule<Document: Codable>: Sendable {
  enum Content: Sendable {
    case rename(String, column: String)
    case value(DatabaseValue, column: String)
    case fullText([String])
    case reference(DocumentReference)
    case failure(any Error)
  }

  let content: Content

  init(_ make: () throws -> Content) {
    do { content = try make() } catch { content = .failure(error) }
  }

  static func column(_ property: PartialKeyPath<Document>) throws -> DocumentColumn {
    let column = try DocumentType<Document>.known().column(property)
    guard column.path.isEmpty else {
      throw DocumentError(
        "a rule of \(Document.self) is about \(column.description), a part of a column")
    }
    return column
  }

  /// A property had another name: its values stay.
  ///
  /// - Parameter name: The former coding key. Where SQLite is older than 3.25, the column of that
  ///   name stays too.
  public static func renamed<Value: Codable>(
    _ name: String, to property: KeyPath<Document, Value>
  ) -> MigrationRule {
    MigrationRule { .rename(name, column: try column(property).name) }
  }

  /// Documents that have no value for a property get one: older ones, when its column is made, and
  /// for a property that isn't optional, all whose column is NULL.
  ///
  /// For the latter, the table is read each time that the collection is first asked for.
  public static func defaultValue<Value: Codable>(
    _ value: Value, for property: KeyPath<Document, Value>
  ) -> MigrationRule {
    MigrationRule {
      let column = try column(property)
      return .value(try DocumentValue.databaseValue(of: value, in: column), column: column.name)
    }
  }
}

extension MigratingDocument {
  /// The rules, for those who don't know the type.
  static var erasedRules: [Any] { migrationRules }
}
