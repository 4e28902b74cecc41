import CSQLCipher
import Coffer
import CofferTestSupport
import Testing

/// Databases whose write-ahead log stays when they are closed, set up as GRDB's documentation does.
@Suite struct PersistentLogTests {
  private static let configuration: Configuration = {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      guard !db.configuration.readonly else { return }
      var flag: CInt = 1
      let code = sqlite3_file_control(
        db.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &flag)
      guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
    return configuration
  }()

  private func migrator(_ column: String) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.eraseDatabaseOnSchemaChange = true
    migrator.registerMigration("v1") { db in
      try db.execute(sql: "CREATE TABLE t (a, \(column)); INSERT INTO t (a) VALUES (1)")
    }
    return migrator
  }

  @Test(arguments: [false, true])
  func `a changed migration erases the database`(isEncrypted: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("db")
    var configuration = Self.configuration
    if isEncrypted { configuration.key = .passphrase("secret") }
    let pool = try DatabasePool(path: path, configuration: configuration)
    try migrator("b").migrate(pool)
    try pool.write { try $0.execute(sql: "INSERT INTO t (a) VALUES (2)") }
    try migrator("b").migrate(pool)
    #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 2)
    #expect(try pool.read { try !migrator("b").hasSchemaChanges($0) })
    #expect(try pool.read { try migrator("c").hasSchemaChanges($0) })
    try migrator("c").migrate(pool)
    let columns = try pool.read { try $0.columns(in: "t").map(\.name) }
    #expect(columns == ["a", "c"])
    #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
    try pool.close()
    #expect(try directory.contents().contains("db-wal"))
  }

  @Test func `a passphrase of the preparation isn't derived for the comparison`() throws {
    let directory = try TemporaryDirectory()
    var configuration = Self.configuration
    configuration.prepareDatabase { try $0.usePassphrase("secret") }
    let queue = try DatabaseQueue(path: directory.path("db"), configuration: configuration)
    try migrator("b").migrate(queue)
    try migrator("c").migrate(queue)
    #expect(try queue.read { try $0.columns(in: "t").map(\.name) } == ["a", "c"])
  }
}
