import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// An encrypted database with an anchor in another folder, and copies of its files at earlier
/// times.
final class FreshVault {
  static let rawKey = [UInt8](repeating: 0x5A, count: 32)
  static let hexKey = String(repeating: "5a", count: 32)
  static let suffixes = ["", "-wal", "-tags"]

  let folder: TemporaryDirectory
  let anchorFolder: TemporaryDirectory
  private let seeds = Locked(SeededGenerator())

  init() throws {
    folder = try TemporaryDirectory()
    anchorFolder = try TemporaryDirectory()
  }

  var path: String { folder.path("db") }
  var anchor: FileAnchor { FileAnchor(path: anchorFolder.path("anchor")) }

  /// The content of the anchor.
  func anchorBytes() throws -> [UInt8] { try #require(try anchor.load(forDatabaseAt: path)) }

  static func configuration(
    _ anchor: some FreshnessAnchor, _ configure: (inout Configuration) -> Void = { _ in }
  ) throws -> Configuration {
    var configuration = Configuration()
    configuration.key = try .raw(rawKey)
    configuration.freshness = Freshness(anchor: anchor)
    configure(&configuration)
    return configuration
  }

  func open(_ configure: (inout Configuration) -> Void = { _ in }) throws -> DatabaseQueue {
    try DatabaseQueue(path: path, configuration: configuration(configure))
  }

  func openPool(_ configure: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool {
    try DatabasePool(path: path, configuration: configuration(configure))
  }

  /// Each opening writes other random values, so that it changes what the ones before have written.
  private func configuration(_ configure: (inout Configuration) -> Void) throws -> Configuration {
    try Self.configuration(anchor) { configuration in
      configuration.seedRandomFunctions(SeededGenerator(state: seeds.changing { $0.next() }))
      configure(&configuration)
    }
  }

  /// Opens the database, changes it, and closes it.
  func change(_ sql: String) throws {
    let queue = try open()
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// The files of the database at this moment.
  func files() -> Files { Files(path) }

  /// The reason for which opening fails.
  func replacement() -> CipherDiagnosis.Replacement? {
    do {
      try open { $0.readonly = true }.close()
      return nil
    } catch let error as DatabaseError {
      guard case .replaced(let replacement)? = error.cipherDiagnosis else {
        Issue.record("\(error)")
        return nil
      }
      return replacement
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  /// The error of freshness with which opening fails.
  func freshnessError(_ configure: (inout Configuration) -> Void = { _ in }) -> FreshnessError? {
    do {
      try open(configure).close()
      return nil
    } catch {
      return error as? FreshnessError
    }
  }

  /// The bytes of a database's files, and of what is beside it.
  struct Files {
    var bytes: [String: [UInt8]] = [:]

    init(_ path: String) {
      for suffix in FreshVault.suffixes {
        if let data = try? Data(contentsOf: URL(fileURLWithPath: path + suffix)) {
          bytes[suffix] = Array(data)
        }
      }
    }

    subscript(suffix: String) -> [UInt8]? {
      get { bytes[suffix] }
      set { bytes[suffix] = newValue }
    }

    var main: [UInt8] { bytes[""] ?? [] }

    /// Puts the files back as they were.
    func restore(to path: String) throws {
      try? FileManager.default.removeItem(atPath: path + "-shm")
      for suffix in FreshVault.suffixes {
        let url = URL(fileURLWithPath: path + suffix)
        if let bytes = bytes[suffix] {
          try Data(bytes).write(to: url)
        } else {
          try? FileManager.default.removeItem(at: url)
        }
      }
    }
  }
}

extension CipherSettings {
  /// The range of a page, numbered from 1, in a file.
  func range(ofPage page: Int) -> Range<Int> { (page - 1) * pageSize..<page * pageSize }
}
