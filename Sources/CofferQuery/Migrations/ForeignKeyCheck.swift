import CofferCore

/// The check of all foreign keys of the main database.
enum ForeignKeyCheck {
  /// Throws where a row refers to one that doesn't exist.
  static func run(_ db: Database) throws {
    guard let row = try Row.fetchOne(db, sql: "PRAGMA main.foreign_key_check") else { return }
    let child: String = row[0]
    let parent: String = row[2]
    throw DatabaseError(
      resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
      message: "FOREIGN KEY constraint violation - from \(child) to \(parent)",
      hint: "A row of the first table refers to one that the second doesn't have.")
  }
}
