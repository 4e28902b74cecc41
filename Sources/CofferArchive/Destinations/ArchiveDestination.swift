import FoundationEssentials

/// A place where an archive keeps its objects: a folder, an object store, or one of your own.
///
/// Its calls come from several threads, and may take long: an archive waits for them on a thread of
/// its own. Nothing in an object can be read without the database's key, and each change to one is
/// noticed.
///
/// Names consist of ASCII letters, digits, `-` and `/`, and are shorter than 100 characters.
/// Objects are at most 16 MiB.
public protocol ArchiveDestination: Sendable {
  /// Stores an object, unless there is one of that name. It has to be durable, and whole, on
  /// return.
  ///
  /// This keeps two writers apart, so it has to hold for several machines at once.
  /// - Returns: Whether it was stored: false if the name is taken.
  /// - Throws: Any error, after which the object may or may not be stored. The archive tries again.
  func putIfAbsent(_ name: String, _ bytes: Data) throws -> Bool

  /// Returns an object; nil if there is none.
  func get(_ name: String) throws -> Data?

  /// Returns the names that begin with a prefix, in ascending order of their bytes.
  func list(_ prefix: String) throws -> [String]

  /// Deletes an object. That there is none is no error.
  func delete(_ name: String) throws
}

extension ArchiveDestination {
  /// What errors call the destination.
  var place: String {
    switch self {
    case let folder as FolderDestination: folder.path
    case let store as S3Destination: "\(store)"
    default: "its destination"
    }
  }

  /// The numbers of the manifests that are there, in ascending order.
  func manifestNumbers() throws -> [UInt64] { try numbers(ObjectName.manifests) }

  /// The numbers of the segments that are there, in ascending order.
  func segmentNumbers() throws -> [UInt64] { try numbers(ObjectName.segments) }

  private func numbers(_ prefix: String) throws -> [UInt64] {
    try list(prefix).compactMap { ObjectName.number($0, in: prefix) }
  }

  /// Reads an object, with as few copies as the destination allows.
  func bytes(_ name: String) throws -> [UInt8]? {
    if let folder = self as? FolderDestination { return try folder.bytes(name) }
    return try get(name).map { Array($0) }
  }
}

/// A destination in which killed processes leave more than objects.
protocol LeftoverDestination: ArchiveDestination {
  /// Deletes what was left a day ago or earlier, which ``list(_:)`` doesn't show.
  ///
  /// - Returns: The number of deleted objects or files.
  func deleteLeftovers() throws -> Int
}

/// The most bytes of an object that are read. Objects have at most 16 MiB.
let largestObjectSize = 64 << 20
