import CFloor
import Coffer
import Foundation

/// Opens a file of many tables, and looks at each of them.
@Sendable func measureTables(_ size: Int, _ folder: String) throws -> [GrowthCase.Value] {
  var queue = try DatabaseQueue(path: "\(folder)/growth.db", configuration: .growth)
  var values: [GrowthCase.Value] = []
  func measure(_ work: String, _ body: (Database) throws -> Void) throws {
    values.append(
      try .time(of: "many tables: \(work)", per: "table", count: size) {
        try queue.write { try body($0) }
      })
  }
  func lookAtAll(_ db: Database) throws {
    for table in 0..<size {
      blackHole(try db.columns(in: "t\(table)").count)
      blackHole(try db.primaryKey("t\(table)").columns.count)
      blackHole(try db.indexes(on: "t\(table)").count)
    }
  }
  try measure("creation") { db in
    for table in 0..<size {
      try db.create(table: "t\(table)") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("amount", .integer).indexed()
      }
    }
  }
  try queue.close()
  values.append(try measureTablesInC(size, folder))
  values.append(
    try .time(of: "many tables: opening", per: "table", count: size) {
      queue = try DatabaseQueue(path: "\(folder)/growth.db", configuration: .growth)
      blackHole(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t0") })
    })
  try measure("first look at the schema") { try lookAtAll($0) }
  try measure("second look at the schema") { try lookAtAll($0) }
  try measure("insertion by a request into each") { db in
    for table in 0..<size {
      try db.execute(
        sql: "INSERT INTO t\(table) (name, amount) VALUES (?, ?)", arguments: ["a", 1])
      blackHole(try Table("t\(table)").filter(Column("amount") == 1).fetchCount(db))
    }
  }
  try queue.close()
  return values
}

/// Creates the same tables with the C API: SQLite reads its whole schema table after each of them.
private func measureTablesInC(_ size: Int, _ folder: String) throws -> GrowthCase.Value {
  let spec = Fixture.keySpec(growthKey)
  guard let db = floor_open("\(folder)/floor.db", spec, CInt(spec.utf8.count)) else {
    throw WrongResult(description: "C can't create a file")
  }
  defer { floor_close(db) }
  return .time(of: "many tables: creation, in C", per: "table", count: size) {
    floor_exec(db, "BEGIN IMMEDIATE")
    for table in 0..<size {
      floor_exec(
        db,
        """
        CREATE TABLE t\(table) (
          id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, amount INTEGER);
        CREATE INDEX t\(table)_on_amount ON t\(table)(amount)
        """)
    }
    floor_exec(db, "COMMIT")
  }
}

/// Registers migrations, and applies them.
@Sendable func measureMigrations(_ size: Int, _ folder: String) throws -> [GrowthCase.Value] {
  var queue = try DatabaseQueue(path: "\(folder)/growth.db", configuration: .growth)
  var migrator = DatabaseMigrator()
  var values = [
    GrowthCase.Value.time(of: "migrations: registration", per: "migration", count: size) {
      for number in 0..<size {
        migrator.registerMigration("migration \(number)") { db in
          if number == 0 { try db.execute(sql: "CREATE TABLE t (n INTEGER)") }
          try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
        }
      }
    }
  ]
  for work in ["application", "nothing to apply"] {
    values.append(
      try .time(of: "migrations: \(work)", per: "migration", count: size) {
        try migrator.migrate(queue)
      })
    try queue.close()
    queue = try DatabaseQueue(path: "\(folder)/growth.db", configuration: .growth)
  }
  try queue.close()
  return values
}

/// Opens a pool for each of many files, as a server with a file for each customer.
@Sendable func measureFiles(_ size: Int, _ folder: String) throws -> [GrowthCase.Value] {
  ProcessStatus.raiseDescriptorLimit()
  let model = try DatabasePool(path: "\(folder)/model.db", key: .raw(growthKey))
  try model.write { try $0.execute(sql: "CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)") }
  try model.close()
  let paths = (0..<size).map { "\(folder)/\($0).db" }
  for path in paths {
    try FileManager.default.copyItem(atPath: "\(folder)/model.db", toPath: path)
  }
  let memory = ProcessStatus.residentMemory()
  let descriptors = try ProcessStatus.descriptorCount()
  var configuration = Configuration()
  configuration.prepareDatabase { db in
    if !db.configuration.readonly { try db.execute(sql: "PRAGMA synchronous = OFF") }
  }
  var pools: [DatabasePool] = []
  var values = [
    try GrowthCase.Value.time(of: "many pools: opening", per: "file", count: size) {
      for path in paths {
        pools.append(
          try DatabasePool(path: path, key: .raw(growthKey), configuration: configuration))
      }
    }
  ]
  func use(_ work: String) throws {
    values.append(
      try .time(of: "many pools: \(work)", per: "file", count: size) {
        for pool in pools {
          try pool.write { try $0.execute(sql: "UPDATE t SET n = n + 1") }
          blackHole(try pool.read { try Int.fetchOne($0, sql: "SELECT n FROM t") })
        }
      })
  }
  try use("first write and read")
  try use("another write and read")
  let count = Double(size)
  values += [
    GrowthCase.Value(
      "many pools: memory", "file", .memory, (ProcessStatus.residentMemory() - memory) / count),
    GrowthCase.Value("many pools: threads", "file", .number, ProcessStatus.threadCount),
    GrowthCase.Value(
      "many pools: descriptors", "file", .number,
      try ProcessStatus.descriptorCount() - descriptors),
  ]
  values.append(
    try .time(of: "many pools: closing", per: "file", count: size) {
      for pool in pools { try pool.close() }
    })
  return values
}
