import CofferCore

/// One connection's cache of the schema.
///
/// It is always current. The connection counts its own schema changes, including those rolled back.
/// Changes by other connections increase the schema version in the file, which is asked for once
/// per explicit transaction, since a transaction sees one state, and on each use outside of
/// transactions.
///
/// Concurrency: confined to the connection's accesses.
package final class SchemaCache {
  /// The tables, views and triggers of one schema.
  private final class Schema {
    let id: DatabaseSchemaID
    let isTemporary: Bool
    var objects: [SQLName: SchemaTable] = [:]
    var triggers: Set<SQLName> = []
    @safe @exclusivity(unchecked) var isLoaded = false
    /// The version of the schema that was read.
    var version: Int32 = 0
    /// The transaction in which the version was read; nil for none.
    @safe @exclusivity(unchecked) var transaction: Int?

    init(_ id: DatabaseSchemaID) {
      self.id = id
      isTemporary = id == .temp
    }
  }

  // SAFETY: the database owns the cache.
  @safe unowned(unsafe) let database: Database
  /// The schemas, in SQLite's lookup order.
  @safe @exclusivity(unchecked) private var schemas: [Schema] = []
  @safe @exclusivity(unchecked) private var generation: Int?
  /// The views whose primary keys are being requested from a schema source.
  @safe @exclusivity(unchecked) var viewsInQuestion: Set<DatabaseObjectID> = []

  /// The number of statements executed for the cache.
  private(set) var readCount = 0

  /// The number of times that knowledge has been dropped or read again.
  ///
  /// As long as it stays the same, so do the answers of the cache.
  package var revision: Int { currentRevision }
  // Other modules don't see the attribute, and would check each access; so they call the getter.
  @safe @exclusivity(unchecked) private var currentRevision = 0

  /// The number of schemas, in the order of lookups, on which answers since ``dependencies(of:)``
  /// began depend.
  @safe @exclusivity(unchecked) private var consultedCount = 0

  /// The transaction in which ``isCurrent(_:schemaCount:)`` last validated schemas, and their
  /// number.
  @safe @exclusivity(unchecked) private var validated: (transaction: Int?, count: Int) = (nil, 0)

  init(_ database: Database) { self.database = database }

  func rows(_ sql: String) throws -> [[DatabaseValue]] {
    readCount &+= 1
    return try database.schemaRows(sql)
  }

  /// Clears the cache.
  func removeAll() {
    currentRevision &+= 1
    generation = nil
    schemas = []
    validated = (nil, 0)
  }

  // MARK: Lookup

  /// Returns the table or view with this name; nil if there is none.
  ///
  /// - Parameter schemaName: Nil for the first match in the temporary schema, the main one, and the
  ///   attached ones.
  /// - Throws: ``DatabaseError`` if there is no such schema.
  /// - Complexity: O(1) in the size of the schema inside a transaction, once it has been read.
  package func object(named name: String, in schemaName: String? = nil) throws -> SchemaTable? {
    let key = SQLName(name)
    try refresh()
    if let schemaName {
      consultedCount = schemas.count
      return try schema(named: schemaName).objects[key]
    }
    for (index, schema) in schemas.enumerated() {
      if index >= consultedCount { consultedCount = index + 1 }
      try validate(schema)
      if let object = schema.objects[key] { return object }
    }
    return nil
  }

  /// Returns the tables and views with this name in all schemas.
  func objects(named name: String) throws -> [SchemaTable] {
    let key = SQLName(name)
    try refresh()
    consultedCount = schemas.count
    return try schemas.compactMap { schema in
      try validate(schema)
      return schema.objects[key]
    }
  }

  /// Discards the keys of views, so that schema sources are asked again.
  func forgetViewKeys() {
    currentRevision &+= 1
    database.forgetPlans()
    for schema in schemas {
      for object in schema.objects.values where object.kind == .view { object.primaryKey = nil }
    }
  }

  /// Returns whether there is a trigger with this name.
  func hasTrigger(named name: String, in schemaName: String?) throws -> Bool {
    let key = SQLName(name)
    try refresh()
    consultedCount = schemas.count
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

  /// Calls `read` with the object of this name, and repeats it if the schema changes meanwhile.
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
      // Without new reads, the result is as current as the object.
      if try attempts == 0 || readCount == count || isCurrent(object) { return try result.get() }
    }
  }

  /// Returns whether the object is still the current one.
  private func isCurrent(_ object: SchemaTable) throws -> Bool {
    guard database.openTransaction == nil else { return true }
    return try self.object(named: object.id.name, in: object.id.schemaID.name) === object
  }

  // MARK: Dependencies

  /// Returns the number of schemas, in the order of lookups, that `body` has asked the cache about.
  ///
  /// Nil if its answers may differ the next time, though the schema hasn't changed.
  package func dependencies(of body: () throws -> Void) rethrows -> Int? {
    let (outer, start) = (consultedCount, revision)
    consultedCount = 0
    defer { consultedCount = max(outer, consultedCount) }
    try body()
    return viewsInQuestion.isEmpty && revision == start ? consultedCount : nil
  }

  /// Returns whether the cache gives the answers that it gave at a revision.
  ///
  /// - Parameter count: The number of schemas that were asked about, in the order of lookups.
  package func isCurrent(_ revision: Int, schemaCount count: Int) throws -> Bool {
    try refresh()
    guard self.revision == revision, viewsInQuestion.isEmpty, count <= schemas.count else {
      return false
    }
    let transaction = database.openTransaction
    if let transaction, validated.transaction == transaction, count <= validated.count {
      return true
    }
    for index in 0..<count { try validate(schemas[index]) }
    validated = (transaction, count)
    return self.revision == revision
  }

  // MARK: Detecting changes

  /// Clears the cache if the connection has changed or attached a schema.
  private func refresh() throws {
    let current = database.hooks.schemaGeneration
    guard generation != current else { return }
    currentRevision &+= 1
    validated = (nil, 0)
    database.forgetSchemaVersions()
    let names = try rows("PRAGMA database_list").compactMap {
      String.fromDatabaseValue($0[1])
    }
    let others = names.map { DatabaseSchemaID(name: $0) }.filter { $0 != .temp }
    schemas = ([.temp] + others).map { Schema($0) }
    // Avoids creating the temporary database by reading from it.
    schemas[0].isLoaded = !names.contains("temp")
    generation = current
  }

  /// Reads a schema again if its version has changed.
  private func validate(_ schema: Schema) throws {
    if schema.isTemporary {
      if !schema.isLoaded { try load(schema) }
      return
    }
    if let transaction = schema.transaction, transaction == database.openTransaction { return }
    readCount &+= 1
    let version = try database.schemaVersion(of: schema.id)
    if !schema.isLoaded || schema.version != version {
      schema.isLoaded = false
      // Set before loading, so that a later change is detected next time.
      schema.version = version
      try load(schema)
    }
    schema.transaction = database.openTransaction
  }

  private func load(_ schema: Schema) throws {
    currentRevision &+= 1
    // Another connection's change is no generation of this one's schema.
    database.forgetPlans()
    schema.objects = [:]
    schema.triggers = []
    let table = schema.isTemporary ? "sqlite_temp_master" : "sqlite_master"
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

  /// Adds the schema tables, which the schema doesn't list.
  private func addSchemaTables(to schema: Schema) {
    let prefix = schema.isTemporary ? "sqlite_temp_" : "sqlite_"
    add(prefix + "master", .table, to: schema)
    if SQLiteFeatures.linked.hasSchemaTableAlias { add(prefix + "schema", .table, to: schema) }
  }

  private func add(_ name: String, _ kind: SchemaTable.Kind, to schema: Schema) {
    let id = DatabaseObjectID(name: name, schemaID: schema.id)
    schema.objects[SQLName(name)] = SchemaTable(id: id, kind: kind)
  }
}

/// The cache is confined to its connection.
@available(*, unavailable)
extension SchemaCache: Sendable {}

extension Database {
  /// The cache of the schema.
  package var schemaCache: SchemaCache {
    if let schemaStorage, let cache = exactly(SchemaCache.self, schemaStorage) { return cache }
    let cache = SchemaCache(self)
    schemaStorage = cache
    return cache
  }

  /// Clears the schema cache and the cached statements.
  ///
  /// This is not necessary: the cache detects changes, even by other connections and processes.
  public func clearSchemaCache() {
    (schemaStorage as? SchemaCache)?.removeAll()
    forgetCachedStatements()
  }
}

extension DatabaseError {
  /// Returns the error for a name of no table.
  package static func noSuchTable(_ name: String, note: String? = nil) -> DatabaseError {
    DatabaseError(.SQLITE_ERROR, "no such table: \(name)", note: note)
  }
}
