import Foundation

/// The files that this process has open.
enum OpenFiles {
  /// The descriptors of the file at a path.
  static func descriptors(of path: String) throws -> [CInt] {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap(CInt.init)
      .filter {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
      }
  }
}
