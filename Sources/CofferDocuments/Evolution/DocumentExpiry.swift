import CofferCore
import FoundationEssentials

/// When the documents of a type expire.
struct DocumentExpiry: Sendable {
  let column: DocumentColumn
  /// How long after the property's date.
  let interval: TimeInterval

  /// Selects those that have not expired.
  ///
  /// - Parameter now: The time by which they would have.
  func condition(_ now: Date = Date()) throws -> SQL {
    SQL(
      elements: [.text("\(column.sqlText()) IS NULL OR \(column.sqlText()) > ")]
        + [try argument(now)])
  }

  /// Selects those that have expired; nil never does.
  func expired(_ now: Date = Date()) throws -> SQL {
    SQL(elements: [.text("\(column.sqlText()) <= "), try argument(now)])
  }

  private func argument(_ now: Date) throws -> SQL.Element {
    let date = now.addingTimeInterval(-interval)
    return .argument(StatementArgument(try DocumentValue.databaseValue(of: date, in: column)))
  }
}

extension MigrationRule {
  /// Documents expire at the date in a property; nil never does.
  ///
  /// ```swift
  /// struct Session: Codable, Identifiable, MigratingDocument {
  ///   var id = UUID()
  ///   var expires: Date?
  ///
  ///   static var migrationRules: [MigrationRule<Session>] { [.expires(\.expires)] }
  /// }
  /// ```
  ///
  /// From then on, queries don't find the document: it isn't fetched, counted, updated or observed.
  /// It is in the file still, until ``DocumentCollection/deleteExpired()`` deletes it, or a `delete`
  /// that selects it, or a `save` takes its place: nothing is deleted by itself, and what has not
  /// expired by its own property never. ``QueryBuilder/includingExpired()`` finds it. SQL sees all
  /// documents. An observation isn't told when a document expires, but with the next change.
  public static func expires(_ property: KeyPath<Document, Date?>) -> MigrationRule {
    MigrationRule { .expiry(DocumentExpiry(column: try place(property), interval: 0)) }
  }

  /// Documents expire some seconds after the date in a property.
  ///
  /// ```swift
  /// .expires(\.created, after: 30 * 24 * 60 * 60)
  /// ```
  ///
  /// See ``expires(_:)``.
  public static func expires(
    _ property: KeyPath<Document, Date>, after interval: TimeInterval = 0
  ) -> MigrationRule {
    MigrationRule { .expiry(DocumentExpiry(column: try place(property), interval: interval)) }
  }
}
