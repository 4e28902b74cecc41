import CofferCore

/// The columns of a foreign key, for associations that can't infer them.
///
/// ```swift
/// extension Book {
///   static let author = belongsTo(Person.self, key: "author", using: ForeignKey(["authorId"]))
///   static let translator = belongsTo(
///     Person.self, key: "translator", using: ForeignKey(["translatorId"]))
/// }
/// ```
///
/// An association needs one if the schema has no foreign key between its tables, or more than one.
public struct ForeignKey: Equatable, Sendable {
  let originColumns: [String]
  let destinationColumns: [String]?

  /// Creates a foreign key from column names.
  ///
  /// - Parameters:
  ///   - originColumns: The columns of the referencing table.
  ///   - destinationColumns: The referenced columns; nil for those in the schema's foreign key, or
  ///     else the primary key.
  public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
    self.originColumns = originColumns
    self.destinationColumns = destinationColumns
  }

  /// Creates a foreign key from columns.
  public init(
    _ originColumns: [any ColumnExpression], to destinationColumns: [any ColumnExpression]? = nil
  ) {
    self.init(originColumns.map(\.name), to: destinationColumns?.map(\.name))
  }
}

/// The foreign key between two joined tables.
package struct JoinForeignKey: Equatable, Sendable {
  /// The referencing table.
  let originTable: String
  package let destinationTable: String
  /// The foreign key; nil for the schema's.
  package let key: ForeignKey?
  /// Whether the left table, which the other one is joined to, is the referencing table.
  package var leftIsOrigin: Bool

  package init(
    from originTable: String, to destinationTable: String, key: ForeignKey?, leftIsOrigin: Bool
  ) {
    self.originTable = originTable
    self.destinationTable = destinationTable
    self.key = key
    self.leftIsOrigin = leftIsOrigin
  }

  package var reversed: JoinForeignKey {
    var result = self
    result.leftIsOrigin.toggle()
    return result
  }

  /// Returns the pairs of columns that are equal in joined rows.
  ///
  /// - Throws: ``DatabaseError`` if the schema doesn't determine them.
  package func columns(_ db: Database) throws -> [(left: String, right: String)] {
    try mapping(db).map {
      leftIsOrigin
        ? (left: $0.origin, right: $0.destination) : (left: $0.destination, right: $0.origin)
    }
  }

  /// Returns the columns by which rows of the right table are found for rows of the left one.
  func keyColumns(_ db: Database) throws -> [KeyColumn] {
    let (left, right) =
      leftIsOrigin ? (originTable, destinationTable) : (destinationTable, originTable)
    return try columns(db).map { try KeyColumn(db, $0, parents: left, rows: right) }
  }

  private func mapping(_ db: Database) throws -> [(origin: String, destination: String)] {
    if let key, let destination = key.destinationColumns {
      return try zipped(key.originColumns, destination)
    }
    let candidates = try foreignKeys(db)
    if let key {
      if let known = candidates.first { return inOrder(known.mapping, of: key.originColumns) }
      return try zipped(key.originColumns, db.primaryKey(destinationTable).columns)
    }
    guard let known = candidates.first else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "no foreign key from table \(originTable) to table \(destinationTable)",
        hint: "Specify its columns with `using: ForeignKey([\"…\"])`.")
    }
    guard candidates.count == 1 else {
      let choices = candidates.map { $0.originColumns.joined(separator: ", ") }
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "several foreign keys from table \(originTable) to table \(destinationTable)",
        hint: "Specify the columns with `using: ForeignKey([\"…\"])`: "
          + choices.joined(separator: "; ") + ".")
    }
    return known.mapping
  }

  /// Returns the matching foreign keys of the schema.
  private func foreignKeys(_ db: Database) throws -> [ForeignKeyInfo] {
    let all = try db.foreignKeys(on: originTable).filter {
      $0.destinationTable.isSameName(as: destinationTable)
    }
    guard let key else { return all }
    let asked = Set(key.originColumns.map { SQLName($0) })
    return all.filter { Set($0.originColumns.map { SQLName($0) }) == asked }
  }

  private func zipped(
    _ origin: [String], _ destination: [String]
  ) throws -> [(origin: String, destination: String)] {
    guard origin.count == destination.count, !origin.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "the foreign key from table \(originTable) has \(origin.count) column(s), and "
          + "refers to \(destination.count) of table \(destinationTable)",
        hint: "Specify the same number of columns: `ForeignKey([…], to: […])`.")
    }
    return zip(origin, destination).map { (origin: $0, destination: $1) }
  }

  private func inOrder(
    _ mapping: [(origin: String, destination: String)], of columns: [String]
  ) -> [(origin: String, destination: String)] {
    columns.compactMap { column in mapping.first { $0.origin.isSameName(as: column) } }
  }
}
