import Coffer
import Foundation

/// A queue or a pool, which is opened on a file.
package protocol FileWriter: DatabaseWriter {
  init(path: String, configuration: Configuration) throws
}

extension DatabaseQueue: FileWriter {}
extension DatabasePool: FileWriter {}

/// An encrypted database on a new file, which is deleted with the last reference.
package final class EncryptedFile<Writer: FileWriter>: Sendable {
  package let directory: TemporaryDirectory
  package let writer: Writer
  package let configuration: Configuration

  package static var rawKey: [UInt8] { [UInt8](repeating: 0x5A, count: 32) }

  package var path: String { directory.path("db") }

  /// Opens the file, and executes the SQL outside of a transaction.
  package init(_ sql: String = "", configure: (inout Configuration) -> Void = { _ in }) throws {
    var configuration = Configuration()
    configure(&configuration)
    configuration.key = try .raw(Self.rawKey)
    self.configuration = configuration
    directory = try TemporaryDirectory()
    writer = try Writer(path: directory.path("db"), configuration: configuration)
    if !sql.isEmpty { try writer.writeWithoutTransaction { try $0.execute(sql: sql) } }
  }

  /// Another connection, or pool, to the same file.
  package func other(_ configure: (inout Configuration) -> Void = { _ in }) throws -> Writer {
    var configuration = configuration
    configure(&configuration)
    return try Writer(path: path, configuration: configuration)
  }

  /// The size of the write-ahead log in bytes.
  package func logSize() -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return (attributes?[.size] as? Int) ?? 0
  }
}

package typealias EncryptedQueue = EncryptedFile<DatabaseQueue>
package typealias EncryptedPool = EncryptedFile<DatabasePool>

extension EncryptedFile<DatabaseQueue> {
  package var queue: DatabaseQueue { writer }

  /// Accesses the database outside of a transaction.
  package func use<T>(_ body: (Database) throws -> T) throws -> T { try queue.inDatabase(body) }

  /// Executes `body` in a new database, outside of a transaction.
  package static func with<T>(_ sql: String = "", _ body: (Database) throws -> T) throws -> T {
    let database = try EncryptedQueue(sql)
    defer { withExtendedLifetime(database) {} }
    return try database.use(body)
  }
}

extension EncryptedFile<DatabasePool> {
  package var pool: DatabasePool { writer }
}

/// An encrypted file whose writer is a queue or a pool, as the arguments of a test say.
package final class EncryptedDatabase: Sendable {
  package enum Kind: String, CaseIterable, Sendable { case queue, pool }

  package let directory: TemporaryDirectory
  package let writer: any DatabaseWriter

  package var path: String { directory.path("db") }

  package init(
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

  package func execute(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws
  {
    try writer.write { try $0.execute(sql: sql, arguments: arguments) }
  }
}
