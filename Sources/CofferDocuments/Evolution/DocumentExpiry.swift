import CofferCore
import FoundationEssentials

/// When the documents of a type expire.
struct DocumentExpiry: Sendable {
  let column: DocumentColumn
  /// The time from the property's date to the expiry, in seconds.
  let interval: TimeInterval

  /// Returns the condition of documents that haven't expired.
  ///
  /// - Parameter now: The time at which to check.
  func condition(_ now: Date = Date()) throws -> SQL {
    "\(sql: column.sqlText()) IS NULL OR \(sql: column.sqlText()) > \(try latest(now))"
  }

  /// Returns the condition of documents that have expired; a nil date never does.
  func expired(_ now: Date = Date()) throws -> SQL {
    "\(sql: column.sqlText()) <= \(try latest(now))"
  }

  /// Returns the latest date in the property of a document that has expired.
  private func latest(_ now: Date) throws -> DatabaseValue {
    try DocumentValue.databaseValue(of: now.addingTimeInterval(-interval), in: column)
  }
}

extension MigrationRule {
  /// Declares that documents expire at the date in a property.
  ///
  /// A document whose date is nil doesn't expire.
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
  /// Queries don't find an expired document: it isn't fetched, counted, updated or observed. It
  /// stays in the file until ``DocumentCollection/deleteExpired()`` or a `delete` that selects it
  /// deletes it, or a `save` replaces it. ``QueryBuilder/includingExpired()`` finds it, and SQL
  /// sees all documents. The expiry of a document doesn't notify observations; they notice it at
  /// the next change.
  public static func expires(_ property: KeyPath<Document, Date?>) -> MigrationRule {
    MigrationRule { .expiry(DocumentExpiry(column: try place(property), interval: 0)) }
  }

  /// Declares that documents expire a number of seconds after the date in a property.
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
