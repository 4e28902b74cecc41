import CofferCore

/// A row that references a row that doesn't exist; see ``Database/foreignKeyViolations()``.
public struct ForeignKeyViolation: Sendable {
  /// The referencing table.
  public var originTable: String

  /// The rowid of the referencing row; nil for a table without rowids.
  public var originRowID: Int64?

  /// The referenced table, as written in the foreign key.
  public var destinationTable: String

  /// The foreign key, as in ``ForeignKeyInfo/id``.
  public var foreignKeyId: Int

  /// The schema of both tables; nil if it is unknown.
  package var schemaName: String?

  /// Creates a violation from a row of `PRAGMA foreign_key_check`.
  public init(row: Row) {
    originTable = String.fromDatabaseValue(row[0]) ?? ""
    originRowID = Int64.fromDatabaseValue(row[1])
    destinationTable = String.fromDatabaseValue(row[2]) ?? ""
    foreignKeyId = Int.fromDatabaseValue(row[3]) ?? 0
  }

  /// Returns a description of the violation, with the tables, the columns and the row.
  ///
  /// The row is described by its rowid; by its values only if
  /// `Configuration.publicStatementArguments` is set, since they may be private.
  public func failureDescription(_ db: Database) throws -> String {
    let origin = try db.violatingTable(self)
    let key = try db.foreignKeys(on: originTable, in: origin.schemaID.name)
      .first { $0.id == foreignKeyId }
    func list(_ columns: [String]?) -> String {
      columns.map { "(\($0.joined(separator: ", ")))" } ?? ""
    }
    var text = "FOREIGN KEY constraint violation - from \(originTable)\(list(key?.originColumns))"
    text += " to \(destinationTable)\(list(key?.destinationColumns))"
    guard let originRowID else { return text }
    let row = db.configuration.publicStatementArguments ? try fetchRow(db, origin) : nil
    return text + (row.map { ", in \($0)" } ?? ", in rowid \(originRowID)")
  }

  private func fetchRow(_ db: Database, _ table: DatabaseObjectID) throws -> Row? {
    let key = try db.primaryKey(table.name, in: table.schemaID.name)
    guard let rowid = key.rowIDName?.quotedDatabaseIdentifier else { return nil }
    let schema = table.schemaID.name.quotedDatabaseIdentifier
    return try Row.fetchOne(
      db,
      sql: "SELECT * FROM \(schema).\(table.name.quotedDatabaseIdentifier) WHERE \(rowid) = ?",
      arguments: [originRowID])
  }

  /// Returns the violation as an error with the code `SQLITE_CONSTRAINT_FOREIGNKEY`.
  ///
  /// Its message is the ``failureDescription(_:)``.
  public func databaseError(_ db: Database) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
      message: (try? failureDescription(db)) ?? String(describing: self), hint: nil)
  }
}

extension ForeignKeyViolation: CustomStringConvertible {
  /// The tables, and the rowid of the referencing row.
  public var description: String {
    let text =
      "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)"
    return originRowID.map { "\(text), in rowid \($0)" } ?? text
  }
}
