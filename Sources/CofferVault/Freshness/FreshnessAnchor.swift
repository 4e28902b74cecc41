import CofferSQLite
import FoundationEssentials
import Glibc

/// A place for the state of a database that an attacker on its files can't change.
///
/// Adopt this to keep the state in an object store, in a TPM, or on another machine:
///
/// ```swift
/// struct RemoteAnchor: FreshnessAnchor {
///   func load(forDatabaseAt path: String) throws -> [UInt8]? { try store.get("vault") }
///   func store(
///     _ bytes: [UInt8], counter: UInt64, replacing previous: UInt64?, forDatabaseAt path: String
///   ) throws -> Bool {
///     try store.put("vault", bytes, version: counter, onlyIf: previous)
///   }
/// }
/// ```
///
/// The bytes are authenticated and hold nothing secret. There are fewer than 400.
///
/// Both functions are called on any thread, one at a time for a database. Commits don't wait for
/// them; opening, closing and ``DatabaseWriter/check(against:)`` do.
public protocol FreshnessAnchor: Sendable {
  /// Returns the bytes that were last stored; nil if there never were any.
  ///
  /// - Throws: Any error if that isn't known: the database then doesn't open.
  func load(forDatabaseAt path: String) throws -> [UInt8]?

  /// Stores the bytes, if those stored before have the counter `previous`.
  ///
  /// The bytes have to be durable on return.
  /// - Parameters:
  ///   - counter: The number of the bytes, which grows.
  ///   - previous: The number of the bytes to replace; nil if there are none, or damaged ones.
  /// - Returns: False, with nothing stored, if the stored bytes have another counter.
  func store(
    _ bytes: [UInt8], counter: UInt64, replacing previous: UInt64?, forDatabaseAt path: String
  ) throws -> Bool
}

/// An anchor in a file, which should be where an attacker on the database can't write.
///
/// For example on another file system, or in a folder of another user.
public struct FileAnchor: FreshnessAnchor, Hashable {
  /// The path of the file.
  public let path: String

  /// Creates an anchor in the file at `path`, which need not exist.
  public init(path: String) { self.path = path }

  /// Returns the content of the file; nil if there is none.
  public func load(forDatabaseAt _: String) throws -> [UInt8]? {
    try RawFile.existing(path)?.read(count: FreshnessState.byteCount * 2 + 1, at: 0)
  }

  /// Replaces the file in one step.
  public func store(
    _ bytes: [UInt8], counter: UInt64, replacing previous: UInt64?, forDatabaseAt database: String
  ) throws -> Bool {
    let target = PendingFile.resolved(path)
    // Other stores of this file are refused until this one is done.
    let pending = try PendingFile(for: target)
    guard try FreshnessState.counter(of: load(forDatabaseAt: database) ?? []) == previous else {
      return false
    }
    try pending.write(bytes)
    try pending.moveToTarget(replaces: true)
    return true
  }
}

/// An anchor beside the database, in `<database>-anchor`.
///
/// See ``FreshnessAnchor/sidecar``.
public struct SidecarAnchor: FreshnessAnchor, Hashable {
  /// Creates the anchor.
  public init() {}

  private func file(_ path: String) -> FileAnchor {
    FileAnchor(path: PendingFile.resolved(path) + "-anchor")
  }

  /// Returns the content of the file beside the database; nil if there is none.
  public func load(forDatabaseAt path: String) throws -> [UInt8]? {
    try file(path).load(forDatabaseAt: path)
  }

  /// Replaces the file beside the database in one step.
  public func store(
    _ bytes: [UInt8], counter: UInt64, replacing previous: UInt64?, forDatabaseAt path: String
  ) throws -> Bool {
    try file(path).store(bytes, counter: counter, replacing: previous, forDatabaseAt: path)
  }
}

extension FreshnessAnchor where Self == SidecarAnchor {
  /// A file beside the database, `<database>-anchor`.
  ///
  /// It shows that a part was put back: a page, the log, or the database without its companions.
  /// Whoever puts back all of the files together goes unnoticed.
  public static var sidecar: SidecarAnchor { SidecarAnchor() }
}
