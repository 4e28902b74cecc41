import CofferCore

extension Collation {
  /// The quoted name.
  var sqlName: String { name.quotedDatabaseIdentifier }

  /// Makes the collation known to a connection.
  func ensure(in db: Database) {
    if !isStandard, let databaseCollation { db.ensure(collation: databaseCollation) }
  }
}

extension DocumentColumn {
  /// The SQL of the value, compared by a collation, if there is one.
  func expression(collation: Collation?) -> String {
    let sql = sqlText()
    return collation.map { "\(sql) COLLATE \($0.sqlName)" } ?? sql
  }
}

extension DocumentError {
  /// An error with what to do about it.
  init(_ message: String, hint: String) { self.init("\(message). \(hint)") }
}
