import CofferCore

/// A row that refers to one that doesn't exist; see ``Database/foreignKeyViolations()``.
public struct ForeignKeyViolation: Sendable {
  /// The table that refers.
  public var originTable: String

  /// The rowid of the row that refers; nil where the table has no rowids.
  public var originRowID: Int64?

  /// The table that is referred to, as its name is written in the reference.
  public var destinationTable: String

  /// The foreign key, as in ``ForeignKeyInfo/id``.
  public var foreignKeyId: Int

  /// The schema that both tables are in; nil where it is not known.
  package var schemaName: String?

  /// A row of `PRAGMA foreign_key_check`.
  public init(row: Row) {
    originTable = String.fromDatabaseValue(row[0]) ?? ""
    originRowID = Int64.fromDatabaseValue(row[1])
    destinationTable = String.fromDatabaseValue(row[2]) ?? ""
    foreignKeyId = Int.fromDatabaseValue(row[3]) ?? 0
  }

  /// The tables and the columns of the violation, and the row.
  ///
  /// The row is told by its rowid. Its values are told where
  /// `Configuration.publicStatementArguments` allows it, since they may be private.
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

  /// The violation as an error of the code `SQLITE_CONSTRAINT_FOREIGNKEY`.
  ///
  /// Its message is the ``failureDescription(_:)``.
  public func databaseError(_ db: Database) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
      message: (try? failureDescription(db)) ?? String(describing: self), hint: nil)
  }
}

extension ForeignKeyViolation: CustomStringConvertible {
  /// The tables, and the rowid of the row that refers.
  public var description: String {
    let text =
      "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)"
    return originRowID.map { "\(text), in rowid \($0)" } ?? text
  }
}
