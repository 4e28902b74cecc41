import CofferCore
import CofferQuery

/// The table, indexes and rules that a collection's type requires.
struct CollectionSchema: Sendable {
  struct Index: Sendable {
    /// The name: `Book-unique-name`, `Book-index-author`, `Book-index-author,name`.
    let name: String
    let isUnique: Bool
    /// One column or more.
    let columns: [DocumentColumn]

    init(_ tableName: String, _ columns: [DocumentColumn], isUnique: Bool) {
      name = Index.prefix(tableName, isUnique) + columns.map(\.description).joined(separator: ",")
      self.isUnique = isUnique
      self.columns = columns
    }

    static func prefix(_ tableName: String, _ isUnique: Bool) -> String {
      "\(tableName)-\(isUnique ? "unique" : "index")-"
    }
  }

  struct DefaultValue: Sendable {
    let column: DocumentColumn
    /// The value of the column; for a nested property, its JSON.
    let value: DatabaseValue
  }

  let typeName: String
  let tableName: String
  let columns: [DocumentProperty]
  private(set) var indexes: [Index]
  /// The migrations of existing documents, which run before columns are added.
  private(set) var steps: [any MigrationStep] = []
  private(set) var defaults: [DefaultValue] = []
  private(set) var references: [DocumentReference] = []
  private(set) var fullText: FullTextIndex?
  /// When documents expire, if they do.
  private(set) var expiry: DocumentExpiry?
  /// The column of the identifier; nil if the type has none.
  let identifier: DocumentColumn?
  /// The values with which decoding fills a missing column.
  let missingValues: any MissingValues
  /// A name of the rowid that is no column's name.
  let rowIDName: String

  var quotedTable: String { "main.\(tableName.quotedDatabaseIdentifier)" }

  /// - Throws: ``DocumentError`` if a property can't be a column, or a rule is wrong.
  init<Document: Codable>(_ type: DocumentType<Document>, id: DocumentColumn?) throws {
    let typeName = "\(Document.self)"
    let tableName = StoredDocument<Document>.databaseTableName
    self.typeName = typeName
    self.tableName = tableName
    identifier = id
    missingValues = DocumentDefaults<Document>()
    columns = type.properties
    let names = columns.map { SQLName($0.name) }
    guard !tableName.isEmpty, !Database.isSQLiteInternalTable(tableName), !tableName.contains("\0")
    else {
      throw DocumentError(
        "the collection of \(typeName) can't have the name \(String(reflecting: tableName))")
    }
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      throw DocumentError(
        "two properties of \(typeName) would both be the column \(columns[index].name)",
        hint: "Column names are case-insensitive: rename one of the coding keys.")
    }
    rowIDName =
      ["_rowid_", "rowid", "oid"].first { !names.contains(SQLName($0)) } ?? "_rowid_"
    indexes = columns.flatMap { (property: DocumentProperty) -> [Index] in
      var all = [(column: property.column, config: property.config)] + property.nested
      if let id, id.name == property.name, !id.isInList {
        let place = all.firstIndex { $0.0 == id } ?? all.endIndex
        if place == all.endIndex { all.append((id, DocumentPropertyConfig())) }
        all[place].1.index = .unique
      }
      return all.compactMap { column, config -> Index? in
        guard config.index != .none else { return nil }
        return Index(tableName, [column], isUnique: config.index == .unique)
      }
    }
    if let migrating = Document.self as? any MigratingDocument.Type {
      for case let rule as MigrationRule<Document> in migrating.erasedRules { try add(rule) }
    }
  }

  private mutating func add<Document>(_ rule: MigrationRule<Document>) throws {
    switch rule.content {
    case .rename(let step):
      guard !columns.contains(where: { $0.name.isSameName(as: step.old) }) else {
        throw DocumentError(
          "a rule of \(typeName) renames \(step.old), which is still a property",
          hint: "Remove the rule, or the property.")
      }
      steps.append(step)
    case .value(let rule): defaults.append(rule)
    case .step(let step):
      guard !steps.contains(where: { $0.runsOnce && $0.name == step.name }) else {
        throw DocumentError(
          "two rules of \(typeName) are named \(step.name)",
          hint: "Give one of them another name, and never change it.")
      }
      steps.append(step)
    case .index(let columns, let isUnique):
      let index = Index(tableName, columns, isUnique: isUnique)
      if !indexes.contains(where: { $0.name == index.name }) { indexes.append(index) }
    case .expiry(let expiry):
      guard self.expiry == nil else {
        throw DocumentError(
          "\(typeName) declares twice when its documents expire", hint: "Keep one .expires.")
      }
      self.expiry = expiry
    case .reference(let reference): references.append(reference)
    case .fullText(let columns):
      guard fullText == nil else {
        throw DocumentError(
          "\(typeName) declares full text twice", hint: "Pass all properties to one .fullText.")
      }
      fullText = FullTextIndex(contentTable: tableName, columns: columns)
    case .failure(let error): throw error
    }
  }

  /// The collations of the indexes.
  var collations: [Collation] { indexes.flatMap { $0.columns.compactMap(\.collation) } }

  /// Throws if the database is read-only, since the table can't be migrated then.
  func requireWritable(_ writer: any DatabaseWriter) throws {
    guard writer.configuration.readonly else { return }
    throw DocumentError(
      "the table \(tableName) doesn't match \(typeName), and the database is read-only",
      hint: "Open it for writing once, or give the store `autoMigrate: false`.")
  }

  /// Returns the meaning of a unique property's error; nil for other errors.
  func explanation(of error: DatabaseError) -> String? {
    let codes: [ResultCode] = [
      .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID,
    ]
    guard codes.contains(error.extendedResultCode), let message = error.message else { return nil }
    // Lowercased, since the table's definition can differ from the type in letter case.
    let folded = message.lowercased()
    let index = indexes.first { index in
      let columns = index.columns.map { "\(tableName).\($0.description)" }.joined(separator: ", ")
      return index.isUnique
        && (folded.hasSuffix(": \(columns)".lowercased())
          || folded.contains("'\(index.name)'".lowercased()))
    }
    return index.map { index in
      let names = index.columns.map(\.description)
      guard names.count > 1 else {
        return
          "The property \(names[0]) of \(typeName) is unique, and another document has that value."
      }
      return "The properties \(names.joined(separator: ", ")) of \(typeName) are unique together, "
        + "and another document has those values."
    }
  }
}
