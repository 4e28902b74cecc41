import CofferCore
import Foundation
import Testing

/// An encrypted queue on a new file, which goes with the last reference.
final class EncryptedQueue: Sendable {
  static let rawKey = [UInt8](repeating: 0x5A, count: 32)

  let directory: TemporaryDirectory
  let queue: DatabaseQueue
  let configuration: Configuration

  var path: String { directory.path("db") }

  init(
    _ sql: String = "", configure: (inout Configuration) -> Void = { _ in }
  ) throws {
    var configuration = Configuration()
    configure(&configuration)
    configuration.key = try .raw(Self.rawKey)
    self.configuration = configuration
    directory = try TemporaryDirectory()
    queue = try DatabaseQueue(path: directory.path("db"), configuration: configuration)
    if !sql.isEmpty { try queue.inDatabase { try $0.execute(sql: sql) } }
  }

  /// Another connection to the same file.
  func other(_ configure: (inout Configuration) -> Void = { _ in }) throws -> DatabaseQueue {
    var configuration = configuration
    configure(&configuration)
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Executes `body` in a new database, outside of a transaction.
  static func with<T>(_ sql: String = "", _ body: (Database) throws -> T) throws -> T {
    let database = try EncryptedQueue(sql)
    defer { withExtendedLifetime(database) {} }
    return try database.queue.inDatabase(body)
  }
}

/// The error that `body` throws.
func databaseError<T>(
  _ body: () throws -> T, sourceLocation: SourceLocation = #_sourceLocation
) -> DatabaseError? {
  do {
    _ = try body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let error as DatabaseError {
    return error
  } catch { Issue.record("\(error) was thrown", sourceLocation: sourceLocation) }
  return nil
}

/// Expects `body` to throw an error of SQLite with that code, primary or extended.
func expectFailure<T>(
  _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
) {
  let error = databaseError(body, sourceLocation: sourceLocation)
  #expect(
    error?.resultCode == code || error?.extendedResultCode == code, "\(error as Any)",
    sourceLocation: sourceLocation)
}

/// Expects `body` to throw an error of SQLite with that code, primary or extended.
func expectFailure<T>(
  _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> T
) async {
  do {
    _ = try await body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch {
    #expect(
      (error as? DatabaseError)?.resultCode == code, "\(error)", sourceLocation: sourceLocation)
  }
}

/// An endless query, but for an interruption.
let endlessSQL = """
  WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c
  """

extension Row {
  var values: [DatabaseValue] { Array(databaseValues) }
}

func values(_ values: (any DatabaseValueConvertible)?...) -> [DatabaseValue] {
  values.map { $0?.databaseValue ?? .null }
}
