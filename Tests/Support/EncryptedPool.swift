import CofferCore
import Foundation
import Testing

/// An encrypted pool on a new file, which goes with the last reference.
final class EncryptedPool: Sendable {
  let directory: TemporaryDirectory
  let pool: DatabasePool
  let configuration: Configuration

  var path: String { directory.path("db") }

  init(
    _ sql: String = "", configure: (inout Configuration) -> Void = { _ in }
  ) throws {
    var configuration = Configuration()
    configure(&configuration)
    configuration.key = try .raw(EncryptedQueue.rawKey)
    self.configuration = configuration
    directory = try TemporaryDirectory()
    pool = try DatabasePool(path: directory.path("db"), configuration: configuration)
    if !sql.isEmpty { try pool.write { try $0.execute(sql: sql) } }
  }

  /// The pages of the write-ahead log, as the size of its file tells.
  func logSize() -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return (attributes?[.size] as? Int) ?? 0
  }
}
