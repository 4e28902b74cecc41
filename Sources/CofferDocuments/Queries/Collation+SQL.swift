import CofferCore

extension Collation {
  /// The quoted name.
  var sqlName: String { name.quotedDatabaseIdentifier }

  /// Registers the collation with a connection, unless it is already registered.
  func ensure(in db: Database) {
    if !isStandard, let databaseCollation { db.ensure(collation: databaseCollation) }
  }
}

extension DocumentColumn {
  /// Returns the SQL of the value, with a collation if there is one.
  func expression(collation: Collation?) -> String {
    let sql = sqlText()
    return collation.map { "\(sql) COLLATE \($0.sqlName)" } ?? sql
  }
}

extension DocumentError {
  /// Creates an error with a remedy.
  init(_ message: String, hint: String) { self.init("\(message). \(hint)") }
}
