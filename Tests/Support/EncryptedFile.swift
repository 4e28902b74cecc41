@testable import CofferCore
import Foundation

/// A queue or a pool, which is opened on a file.
protocol FileWriter: DatabaseWriter {
  init(path: String, configuration: Configuration) throws
}

extension DatabaseQueue: FileWriter {}
extension DatabasePool: FileWriter {}

/// An encrypted database on a new file, which is deleted with the last reference.
final class EncryptedFile<Writer: FileWriter>: Sendable {
  let directory: TemporaryDirectory
  let writer: Writer
  let configuration: Configuration

  static var rawKey: [UInt8] { [UInt8](repeating: 0x5A, count: 32) }

  var path: String { directory.path("db") }

  /// Opens the file, and executes the SQL outside of a transaction.
  init(_ sql: String = "", configure: (inout Configuration) -> Void = { _ in }) throws {
    var configuration = Configuration()
    configure(&configuration)
    configuration.key = try .raw(Self.rawKey)
    self.configuration = configuration
    directory = try TemporaryDirectory()
    writer = try Writer(path: directory.path("db"), configuration: configuration)
    if !sql.isEmpty { try writer.writeWithoutTransaction { try $0.execute(sql: sql) } }
  }

  /// Another connection, or pool, to the same file.
  func other(_ configure: (inout Configuration) -> Void = { _ in }) throws -> Writer {
    var configuration = configuration
    configure(&configuration)
    return try Writer(path: path, configuration: configuration)
  }

  /// The size of the write-ahead log in bytes.
  func logSize() -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return (attributes?[.size] as? Int) ?? 0
  }
}

typealias EncryptedQueue = EncryptedFile<DatabaseQueue>
typealias EncryptedPool = EncryptedFile<DatabasePool>

extension EncryptedFile<DatabaseQueue> {
  var queue: DatabaseQueue { writer }

  /// Accesses the database outside of a transaction.
  func use<T>(_ body: (Database) throws -> T) throws -> T { try queue.inDatabase(body) }

  /// Executes `body` in a new database, outside of a transaction.
  static func with<T>(_ sql: String = "", _ body: (Database) throws -> T) throws -> T {
    let database = try EncryptedQueue(sql)
    defer { withExtendedLifetime(database) {} }
    return try database.use(body)
  }
}

extension EncryptedFile<DatabasePool> {
  var pool: DatabasePool { writer }
}

/// An encrypted file whose writer is a queue or a pool, as the arguments of a test say.
final class EncryptedDatabase: Sendable {
  enum Kind: String, CaseIterable, Sendable { case queue, pool }

  let directory: TemporaryDirectory
  let writer: any DatabaseWriter

  var path: String { directory.path("db") }

  init(
    _ kind: Kind, _ sql: String = "", configure: (inout Configuration) -> Void = { _ in }
  ) throws {
    switch kind {
    case .queue:
      let file = try EncryptedQueue(sql, configure: configure)
      (directory, writer) = (file.directory, file.writer)
    case .pool:
      let file = try EncryptedPool(sql, configure: configure)
      (directory, writer) = (file.directory, file.writer)
    }
  }

  func execute(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
    try writer.write { try $0.execute(sql: sql, arguments: arguments) }
  }
}
