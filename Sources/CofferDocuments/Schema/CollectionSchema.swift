import CofferCore
import CofferQuery

/// What a collection's table has to have, as its type says.
struct CollectionSchema: Sendable {
  struct Column: Sendable {
    let name: String
    let isOptional: Bool
  }

  struct Index: Sendable {
    /// The name: `Book-unique-name`, `Book-index-author`.
    let name: String
    /// The column's, or the path's, in messages.
    let property: String
    let isUnique: Bool
    let column: DocumentColumn
  }

  struct DefaultValue: Sendable {
    let column: String
    let value: DatabaseValue
  }

  let typeName: String
  let tableName: String
  let columns: [Column]
  let indexes: [Index]
  private(set) var renames: [(old: String, column: String)] = []
  private(set) var defaults: [DefaultValue] = []
  private(set) var references: [DocumentReference] = []
  private(set) var fullText: FullTextIndex?
  /// A name of the rowid that no column has.
  let rowIDName: String

  /// - Throws: ``DocumentError`` for properties that can't be columns, and for wrong rules.
  init<Document: Codable>(_ type: DocumentType<Document>, id: DocumentColumn?) throws {
    let typeName = "\(Document.self)"
    let tableName = StoredDocument<Document>.databaseTableName
    self.typeName = typeName
    self.tableName = tableName
    columns = type.properties.map { Column(name: $0.name, isOptional: $0.isOptional) }
    let names = columns.map { SQLName($0.name) }
    guard !tableName.isEmpty, !Database.isSQLiteInternalTable(tableName), !tableName.contains("\0")
    else {
      throw DocumentError(
        "the collection of \(typeName) can't have the name \(String(reflecting: tableName))")
    }
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      throw DocumentError(
        "two properties of \(typeName) would both be the column \(columns[index].name)",
        hint: "SQL takes small and capital letters for the same: rename one of the coding keys.")
    }
    rowIDName =
      ["_rowid_", "rowid", "oid"].first { !names.contains(SQLName($0)) } ?? "_rowid_"
    indexes = type.properties.flatMap { (property: DocumentProperty) -> [Index] in
      var all =
        [(property.column, property.config)] + property.nested.map { ($0.column, $0.config) }
      if let id, id.name == property.name, !id.isInList {
        let place = all.firstIndex { $0.0 == id } ?? all.endIndex
        if place == all.endIndex { all.append((id, DocumentPropertyConfig())) }
        all[place].1.index = .unique
      }
      return all.compactMap { column, config -> Index? in
        guard config.index != .none else { return nil }
        let isUnique = config.index == .unique
        let kind = isUnique ? "unique" : "index"
        return Index(
          name: "\(tableName)-\(kind)-\(column.description)", property: column.description,
          isUnique: isUnique, column: column)
      }
    }
    if let migrating = Document.self as? any MigratingDocument.Type {
      for case let rule as MigrationRule<Document> in migrating.erasedRules { try add(rule) }
    }
  }

  private mutating func add<Document>(_ rule: MigrationRule<Document>) throws {
    switch rule.content {
    case .rename(let old, let column):
      guard !columns.contains(where: { $0.name.isSameName(as: old) }) else {
        throw DocumentError(
          "a rule of \(typeName) renames \(old), which is a property still",
          hint: "Remove the rule, or the property.")
      }
      renames.append((old, column))
    case .value(let value, let column):
      defaults.append(DefaultValue(column: column, value: value))
    case .reference(let reference): references.append(reference)
    case .fullText(let columns):
      guard fullText == nil else {
        throw DocumentError(
          "\(typeName) declares full text twice", hint: "Give all properties to one .fullText.")
      }
      fullText = FullTextIndex(contentTable: tableName, columns: columns)
    case .failure(let error): throw error
    }
  }

  /// The collations of the indexes.
  var collations: [Collation] { indexes.compactMap(\.column.collation) }

  /// Throws where the table can't be made to follow the type, since nobody may write.
  func requireWritable(_ writer: any DatabaseWriter) throws {
    guard writer.configuration.readonly else { return }
    throw DocumentError(
      "the table \(tableName) lacks what \(typeName) needs, and the database is open for reading",
      hint: "Open it for writing once, or give the store `autoMigrate: false`.")
  }

  /// What a unique property's error means; nil for other errors.
  func explanation(of error: DatabaseError) -> String? {
    let codes: [ResultCode] = [
      .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID,
    ]
    guard codes.contains(error.extendedResultCode), let message = error.message else { return nil }
    // In the letters of the table's definition, which may be others than the type's.
    let folded = message.lowercased()
    let index = indexes.first { index in
      index.isUnique
        && (folded.hasSuffix(": \(tableName).\(index.property)".lowercased())
          || folded.contains("'\(index.name)'".lowercased()))
    }
    return index.map {
      "The property \($0.property) of \(typeName) is unique, and another document has that value."
    }
  }
}
