import Foundation

/// The file to create: one to keep, or one in a temporary folder.
struct NewDatabase {
  let path: String
  private let temporaryFolder: String?

  /// Whether somebody asked for the file.
  var isKept: Bool { temporaryFolder == nil }

  /// Checks that a file doesn't exist; makes a temporary folder where none is named.
  init(at path: String?) throws {
    guard let path else {
      let folder = try Self.makeTemporaryFolder()
      (self.path, temporaryFolder) = ("\(folder)/inventory.db", folder)
      return
    }
    (self.path, temporaryFolder) = (path, nil)
    for file in files where FileManager.default.fileExists(atPath: file) {
      throw Failure("\(file) exists already. Name another file, or delete this one first.")
    }
  }

  func delete() {
    for file in files + [temporaryFolder].compactMap(\.self) {
      try? FileManager.default.removeItem(atPath: file)
    }
  }

  /// The database, and what can be beside it.
  private var files: [String] { ["", "-wal", "-shm", "-journal"].map { path + $0 } }

  private static func makeTemporaryFolder() throws -> String {
    let parent = FileManager.default.temporaryDirectory
    let folder = parent.appendingPathComponent("inventory-\(UUID().uuidString)").path
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw Failure(folder, error, advice: "Set TMPDIR to a folder for temporary files.")
    }
    return folder
  }
}
