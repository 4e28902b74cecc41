import CofferCore
import FoundationEssentials

/// An archive in a folder: on another disk, a network's file system, or what another program copies
/// away.
///
/// Each object is a file that is synced before it gets its name, by `renameat2` or `link`, so that
/// two writers can't store the same one.
public struct FolderDestination: ArchiveDestination, LeftoverDestination {
  /// The folder's path.
  public let path: String

  /// - Parameter path: The folder, which is made with the first object, if it doesn't exist. The
  ///   one above has to exist, so that nothing is archived where a disk isn't mounted. A session
  ///   that has stored something makes it no more, and stores nothing where its archive isn't: it
  ///   waits until that is back.
  public init(path: String) { self.path = path }

  /// Stores an object as a file.
  ///
  /// - Throws: ``DatabaseError`` if the file can't be written.
  public func putIfAbsent(_ name: String, _ bytes: Data) throws -> Bool {
    try unsafe bytes.withUnsafeBytes { try unsafe putIfAbsent(name, $0, makesFolder: true) }
  }

  /// - Parameter makesFolder: Whether the archive's folder is made if it isn't there.
  func putIfAbsent(
    _ name: String, _ bytes: UnsafeRawBufferPointer, makesFolder: Bool
  ) throws -> Bool {
    let file = try file(name)
    if makesFolder { try NewFile.makeFolder(path) }
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/" + part
      try NewFile.makeFolder(folder)
    }
    return try unsafe NewFile.create(file, bytes)
  }

  /// Reads an object.
  ///
  /// - Throws: ``ArchiveError/notAFile(_:)`` if a link, a folder or a pipe has the name, which is
  ///   neither followed nor waited for; ``DatabaseError`` if the file can't be read.
  public func get(_ name: String) throws -> Data? {
    try bytes(name).map { Data($0) }
  }

  /// Reads an object, without a copy.
  func bytes(_ name: String) throws -> [UInt8]? {
    let file = try file(name)
    do { return try NewFile.read(file, atMost: largestObjectSize) } catch {
      throw NewFile.isOther(file) ? ArchiveError.notAFile(name) : error
    }
  }

  /// Returns the names of the objects, which are regular files.
  ///
  /// A link, a folder or a pipe under the name of an archive's object is listed, too, so that it
  /// isn't taken for an object that was never there: reading it is an error.
  /// - Throws: ``DatabaseError`` if the folder can't be read.
  public func list(_ prefix: String) throws -> [String] { try entries(prefix).map(\.name) }

  /// Returns the names of objects that are no regular files.
  func others(_ prefix: String) throws -> [String] {
    try entries(prefix).filter { !$0.isRegular }.map(\.name)
  }

  private func entries(_ prefix: String) throws -> [(name: String, isRegular: Bool)] {
    let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
    return try NewFile.entries(of: folder.isEmpty ? path : path + "/" + folder.dropLast())
      .map { (name: folder + $0.name, isRegular: $0.isRegular) }
      .filter { name, isRegular in
        name.hasPrefix(prefix) && !name.hasSuffix(".coffer-partial")
          && (isRegular || ObjectName.isObject(name))
      }.sorted { $0.name < $1.name }
  }

  /// What distinguishes an object's file from another one of its name; nil if there is none.
  func identity(_ name: String) throws -> [Int]? { try NewFile.identity(file(name)) }

  /// Deletes an object's file.
  ///
  /// - Throws: ``DatabaseError`` if it can't be deleted.
  public func delete(_ name: String) throws { try NewFile.delete(file(name)) }

  func deleteLeftovers() throws -> Int {
    try ([""] + ["/manifest", "/log", "/layer"]).reduce(0) { count, folder in
      try count + NewFile.deleteLeftovers(in: path + folder, olderThan: 86_400)
    }
  }

  private func file(_ name: String) throws -> String {
    let isAllowed = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x2F, 0x5F].contains(byte)
    }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard isAllowed, !parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") }) else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "\(name) is no name of an object")
    }
    return path + "/" + name
  }
}
