import CofferCore

/// What has been read of the schema by one connection.
///
/// It is never outdated: the connection's own changes, undone ones included,
/// are counted; those of others change the version that a schema's file has,
/// which is read once in each explicit transaction, since a transaction sees
/// one state, and each time outside of any.
///
/// Concurrency: confined to the connection's accesses.
package final class SchemaCache {
  /// The tables, views and triggers of one schema.
  private final class Schema {
    let id: DatabaseSchemaID
    var objects: [SQLName: SchemaTable] = [:]
    var triggers: Set<SQLName> = []
    var isLoaded = false
    /// Of the file whose schema was read.
    var version: Int32 = 0
    /// The transaction in which the version was read; nil for none.
    var transaction: Int?

    init(_ id: DatabaseSchemaID) { self.id = id }
  }

  // SAFETY: the database owns the cache.
  unowned let database: Database
  /// In the order in which SQLite looks names up.
  private var schemas: [Schema] = []
  private var generation: Int?
  /// The views whose primary key is being asked of a schema source.
  var viewsInQuestion: Set<DatabaseObjectID> = []

  /// How many statements have been executed for the cache.
  private(set) var readCount = 0

  init(_ database: Database) { self.database = database }

  func rows(_ sql: String) throws -> [[DatabaseValue]] {
    readCount &+= 1
    return try database.schemaRows(sql)
  }

  /// Forgets everything.
  func removeAll() {
    generation = nil
    schemas = []
  }

  // MARK: Looking names up

  /// The table or view that a name stands for; nil for none.
  ///
  /// - Parameter schemaName: Nil for the first of the temporary schema, the main one, and those
  ///   that are attached.
  /// - Throws: An error where there is no schema of that name.
  /// - Complexity: O(1) in the size of the schema inside of a transaction, once it is read.
  package func object(named name: String, in schemaName: String? = nil) throws -> SchemaTable? {
    let key = SQLName(name)
    try refresh()
    if let schemaName { return try schema(named: schemaName).objects[key] }
    for schema in schemas {
      try validate(schema)
      if let object = schema.objects[key] { return object }
    }
    return nil
  }

  /// The tables and views of that name, in all schemas.
  func objects(named name: String) throws -> [SchemaTable] {
    let key = SQLName(name)
    try refresh()
    return try schemas.compactMap { schema in
      try validate(schema)
      return schema.objects[key]
    }
  }

  /// Asks schema sources anew.
  func forgetViewKeys() {
    database.forgetPlans()
    for schema in schemas {
      for object in schema.objects.values where object.kind == .view { object.primaryKey = nil }
    }
  }

  /// Whether there is a trigger of that name.
  func hasTrigger(named name: String, in schemaName: String?) throws -> Bool {
    let key = SQLName(name)
    try refresh()
    if let schemaName { return try schema(named: schemaName).triggers.contains(key) }
    return try schemas.contains { schema in
      try validate(schema)
      return schema.triggers.contains(key)
    }
  }

  private func schema(named name: String) throws -> Schema {
    guard let schema = schemas.first(where: { $0.id.name.isSameName(as: name) }) else {
      throw DatabaseError(
        .SQLITE_ERROR, "no such schema: \(name)",
        note: "There are \(schemas.map(\.id.name).joined(separator: ", ")).")
    }
    try validate(schema)
    return schema
  }

  /// Calls `read` on the object that a name stands for; once more if the schema changes meanwhile.
  package func reading<T>(
    _ name: String, in schemaName: String?, _ read: (SchemaTable) throws -> T
  ) throws -> T {
    var attempts = 4
    while true {
      attempts -= 1
      guard let object = try object(named: name, in: schemaName) else {
        throw DatabaseError.noSuchTable(name)
      }
      let count = readCount
      let result = Result { try read(object) }
      // What was known is as current as the object.
      if try attempts == 0 || readCount == count || isCurrent(object) { return try result.get() }
    }
  }

  /// Whether the schema is still the one that the object was found in.
  private func isCurrent(_ object: SchemaTable) throws -> Bool {
    guard database.openTransaction == nil else { return true }
    return try self.object(named: object.id.name, in: object.id.schemaID.name) === object
  }

  // MARK: Noticing changes

  /// Forgets everything if the connection has changed a schema, or attached one.
  private func refresh() throws {
    let current = database.hooks.schemaGeneration
    guard generation != current else { return }
    database.forgetSchemaVersions()
    let names = try rows("PRAGMA database_list").compactMap {
      String.fromDatabaseValue($0[1])
    }
    let others = names.map { DatabaseSchemaID(name: $0) }.filter { $0 != .temp }
    schemas = ([.temp] + others).map { Schema($0) }
    // Reading from it would make the temporary database.
    schemas[0].isLoaded = !names.contains("temp")
    generation = current
  }

  /// Reads a schema anew, if it is not the one that was read.
  private func validate(_ schema: Schema) throws {
    if schema.id == .temp {
      if !schema.isLoaded { try load(schema) }
      return
    }
    if let transaction = schema.transaction, transaction == database.openTransaction { return }
    readCount &+= 1
    let version = try database.schemaVersion(of: schema.id)
    if !schema.isLoaded || schema.version != version {
      schema.isLoaded = false
      // The version first: a later one shows at the next look.
      schema.version = version
      try load(schema)
    }
    schema.transaction = database.openTransaction
  }

  private func load(_ schema: Schema) throws {
    schema.objects = [:]
    schema.triggers = []
    let table = schema.id == .temp ? "sqlite_temp_master" : "sqlite_master"
    let objects = try rows(
      """
      SELECT type, name, rootpage FROM \(schema.id.name.quotedDatabaseIdentifier).\(table) \
      WHERE type <> 'index'
      """)
    for row in objects {
      guard let type = String.fromDatabaseValue(row[0]),
        let name = String.fromDatabaseValue(row[1])
      else { continue }
      if type == "trigger" {
        schema.triggers.insert(SQLName(name))
      } else {
        let isVirtual = Int.fromDatabaseValue(row[2]) ?? 0 == 0
        add(name, type == "view" ? .view : isVirtual ? .virtualTable : .table, to: schema)
      }
    }
    addSchemaTables(to: schema)
    schema.isLoaded = true
  }

  /// The tables that hold the schema are not listed in it.
  private func addSchemaTables(to schema: Schema) {
    let prefix = schema.id == .temp ? "sqlite_temp_" : "sqlite_"
    add(prefix + "master", .table, to: schema)
    if SQLiteFeatures.linked.hasSchemaTableAlias { add(prefix + "schema", .table, to: schema) }
  }

  private func add(_ name: String, _ kind: SchemaTable.Kind, to schema: Schema) {
    let id = DatabaseObjectID(name: name, schemaID: schema.id)
    schema.objects[SQLName(name)] = SchemaTable(id: id, kind: kind)
  }
}

/// The cache is its connection's.
@available(*, unavailable)
extension SchemaCache: Sendable {}

extension Database {
  /// What has been read of the schema.
  package var schemaCache: SchemaCache {
    if let schemaStorage, let cache = exactly(SchemaCache.self, schemaStorage) { return cache }
    let cache = SchemaCache(self)
    schemaStorage = cache
    return cache
  }

  /// Forgets what has been read of the schema, and the statements that were prepared with it.
  ///
  /// There is no need to: changes are noticed, those of other connections and processes too.
  public func clearSchemaCache() {
    (schemaStorage as? SchemaCache)?.removeAll()
    forgetCachedStatements()
  }
}

extension DatabaseError {
  /// The error of a name that stands for no table.
  package static func noSuchTable(_ name: String, note: String? = nil) -> DatabaseError {
    DatabaseError(.SQLITE_ERROR, "no such table: \(name)", note: note)
  }
}
