import Foundation

/// The files of a folder.
enum Files {
  static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { !$0.hasSuffix("-shm") }.sorted()
  }

  static func content(of path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  static func inode(of path: String) throws -> UInt64 {
    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64 ?? 0
  }

  /// Calls `body` with a new folder, which is removed afterwards.
  static func withFolder<Result>(
    _ contents: [String: [UInt8]] = [:], _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("coffer-faults-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, bytes) in contents {
      let path = "\(folder)/\(name)"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      // As what Coffer makes.
      chmod(path, 0o600)
    }
    return try body(folder)
  }
}
