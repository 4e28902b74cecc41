import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// The steps of opening, in their order, and what a failure in each leaves behind.
struct OpeningTests {
  private let folder: TemporaryDirectory
  private let path: String
  private let key: DatabaseKey

  private struct Failure: Error {}

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.path("opened.db")
    key = try .raw([UInt8](repeating: 7, count: 32))
  }

  private var opening: Opening {
    var configuration = Configuration()
    configuration.key = key
    return Opening(path: path, name: "opened", configuration: configuration)
  }

  /// Opens the file, and fails before a step.
  private func fail(before index: Int) {
    var opening = opening
    let name = opening.steps[index].name
    opening.steps[index] = Opening.Step(name: name) { _ in throw Failure() }
    #expect(throws: Failure.self, "\(name)") { try opening.finish() }
  }

  /// The names of the files that this process has open in the folder.
  private func openFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }.filter { $0.hasPrefix(folder.path) }
  }

  private func rows() throws -> Int? {
    let queue = try DatabaseQueue(path: path, key: key)
    defer { try? queue.close() }
    return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
  }

  @Test func `the steps are in the order that each needs`() {
    #expect(
      Opening.steps.map(\.name) == [
        "early statements", "locks", "settings", "authorizer", "functions", "key", "preparations",
        "settled key", "format", "statements", "cache", "new file", "journal", "freshness",
        "observation", "sharing",
      ])
  }

  @Test func `a failure leaves an empty file until the new file is written, then a whole one`()
    throws
  {
    let newFile = try #require(Opening.steps.firstIndex { $0.name == "new file" })
    for index in Opening.steps.indices {
      fail(before: index)
      #expect(try openFiles() == [])
      let kind = DatabaseFile.inspect(at: path).kind
      let isEncrypted = if case .encryptedOrUnknown = kind { true } else { false }
      #expect(index <= newFile ? kind == .empty : isEncrypted, "\(Opening.steps[index].name)")
      let queue = try DatabaseQueue(path: path, key: key)
      try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
      try queue.close()
      #expect(try rows() == 1)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        try FileManager.default.removeItem(atPath: folder.path(name))
      }
    }
  }

  @Test func `a failure leaves a database as it was, and open for others`() throws {
    let queue = try DatabaseQueue(path: path, key: key)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    try queue.close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for index in Opening.steps.indices {
      fail(before: index)
      #expect(try openFiles() == [])
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
      #expect(try rows() == 1)
    }
  }

  @Test func `a connection that is opened is set up`() throws {
    let database = try opening.finish()
    database.gate.withAccess {
      #expect(database.setup == nil)
      #expect(database.isKeyed)
      #expect(database.keying.own != nil)
      database.closeConnection()
    }
  }
}
