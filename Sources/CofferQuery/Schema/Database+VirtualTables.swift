import CofferCore

extension Database {
  /// Creates a virtual table.
  ///
  /// ```swift
  /// // CREATE VIRTUAL TABLE IF NOT EXISTS "vocabulary" USING fts4aux(document)
  /// try db.create(
  ///   virtualTable: "vocabulary", options: .ifNotExists, using: "fts4aux(document)")
  /// ```
  ///
  /// - Parameter module: The SQL after `USING`, unchanged.
  public func create(
    virtualTable tableName: String, options: VirtualTableOptions = [], using module: String
  ) throws {
    try execute(sql: Database.creation(of: tableName, options, using: module))
  }

  /// Creates a virtual table.
  ///
  /// ```swift
  /// // CREATE VIRTUAL TABLE "book" USING fts5(title, body, tokenize='''porter''')
  /// try db.create(virtualTable: "book", using: FTS5()) { t in
  ///   t.tokenizer = .porter()
  ///   t.column("title")
  ///   t.column("body")
  /// }
  /// ```
  ///
  /// The table and its triggers are created together: if one fails, nothing is created.
  /// - Throws: An error of `body` or the module, SQLite's error, or an error that names a missing
  ///   feature of SQLite.
  public func create<Module: VirtualTableModule>(
    virtualTable tableName: String, options: VirtualTableOptions = [], using module: Module,
    _ body: ((Module.TableDefinition) throws -> Void)? = nil
  ) throws {
    let definition = module.makeTableDefinition(
      configuration: VirtualTableConfiguration(ifNotExists: options.contains(.ifNotExists)))
    try body?(definition)
    if let module = module as? any VirtualTableRequirements {
      try Database.requireFeatures(of: module, for: definition)
    }
    let arguments = try module.moduleArguments(for: definition, in: self)
    let call =
      arguments.isEmpty
      ? module.moduleName : "\(module.moduleName)(\(arguments.joined(separator: ", ")))"
    try inSavepoint {
      try execute(sql: Database.creation(of: tableName, options, using: call))
      try module.database(self, didCreate: tableName, using: definition)
      return .commit
    }
  }

  /// Creates a virtual table.
  public func create(virtualTable tableName: String, ifNotExists: Bool, using module: String) throws
  {
    try create(virtualTable: tableName, options: ifNotExists ? .ifNotExists : [], using: module)
  }

  /// Creates a virtual table.
  public func create<Module: VirtualTableModule>(
    virtualTable tableName: String, ifNotExists: Bool, using module: Module,
    _ body: ((Module.TableDefinition) throws -> Void)? = nil
  ) throws {
    try create(
      virtualTable: tableName, options: ifNotExists ? .ifNotExists : [], using: module, body)
  }

  private static func creation(
    of tableName: String, _ options: VirtualTableOptions, using module: String
  ) -> String {
    var sql = "CREATE VIRTUAL TABLE "
    if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
    if options.contains(.temporary) { sql += "temp." }
    return sql + tableName.quotedDatabaseIdentifier + " USING " + module
  }

  private static func requireFeatures<Module: VirtualTableRequirements>(
    of module: Module, for definition: Any
  ) throws {
    guard let definition = definition as? Module.TableDefinition else { return }
    try module.requireFeatures(for: definition)
  }
}
