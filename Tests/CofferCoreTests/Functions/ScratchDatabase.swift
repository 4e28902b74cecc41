@testable import CofferCore
import Testing

/// An encrypted database of a test, gone with it.
struct ScratchDatabase {
  let queue: DatabaseQueue
  private let directory: TemporaryDirectory

  init(_ sql: String = "", configuration: Configuration = Configuration()) throws {
    directory = try TemporaryDirectory()
    queue = try DatabaseQueue(
      path: directory.path("db"), key: .raw(ScratchDatabase.key), configuration: configuration)
    try queue.write { try $0.execute(sql: sql) }
  }

  /// Another connection to the file.
  func reopened(configuration: Configuration = Configuration()) throws -> DatabaseQueue {
    try DatabaseQueue(
      path: directory.path("db"), key: .raw(ScratchDatabase.key), configuration: configuration)
  }

  private static let key = (0..<32).map { UInt8($0 * 7) }

  /// Accesses the database without a transaction around it.
  func use<T>(_ body: (Database) throws -> T) throws -> T {
    try queue.writeWithoutTransaction(body)
  }
}

/// Expects `body` to throw a database error with the primary code.
func expectDatabaseError<T>(
  _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
) throws {
  let error = try #require(throws: DatabaseError.self, sourceLocation: sourceLocation) {
    _ = try body()
  }
  #expect(error.resultCode == code, sourceLocation: sourceLocation)
}
