import Glibc

/// The files that the demo reads and writes.
struct DemoFiles {
  /// The options on the command line.
  struct Options: Equatable {
    /// The list of packages; nil for this machine's list.
    var status: String?
    /// The file to create and keep; nil for a temporary file.
    var database: String?
    /// Whether to keep the file even if it is temporary.
    var keepsDatabase = false
  }

  /// The list of this machine's packages, on Debian and Ubuntu.
  static let machineStatus = "/var/lib/dpkg/status"

  /// The list of packages to read.
  let status: String
  /// The reason for the choice of the list; nil if it is obvious.
  let statusNote: String?
  /// The file to create.
  let database: String
  /// Whether the file is kept.
  let isKept: Bool
  /// The temporary folder of the file.
  private let temporaryFolder: String?

  /// Chooses the files, and creates a folder for a temporary file.
  init(_ options: Options, machineStatus: String = machineStatus) throws {
    (status, statusNote) = try Self.chooseStatus(options, machineStatus: machineStatus)
    isKept = options.keepsDatabase || options.database != nil
    if let path = options.database {
      for file in Leftovers.files(of: path) {
        var information = stat()
        guard lstat(file, &information) != 0 else {
          throw ToolError(
            .cantCreate, "\(file) exists already. Name another file, or delete this one first.")
        }
      }
      database = path
      temporaryFolder = nil
    } else {
      let folder = try Self.makeTemporaryFolder()
      database = folder + "/inventory.db"
      temporaryFolder = folder
    }
    Leftovers.add(database)
  }

  /// Deletes the database and its folder, unless they are kept.
  func cleanUp(isComplete: Bool) {
    for path in [database, temporaryFolder].compactMap(\.self) {
      if isKept, isComplete { Leftovers.keep(path) } else { Leftovers.remove(path) }
    }
  }

  private static func makeTemporaryFolder() throws -> String {
    var parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    if parent.isEmpty { parent = "/tmp" }
    var template = Array("\(parent)/coffer-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ToolError(
        .cantCreate, "No temporary folder: \(String(cString: strerror(errno))). Set TMPDIR.")
    }
    let path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    Leftovers.add(path)
    return path
  }

  private static func chooseStatus(
    _ options: Options, machineStatus: String
  ) throws -> (path: String, note: String?) {
    if let path = options.status { return (path, nil) }
    if hasPackages(machineStatus) { return (machineStatus, nil) }
    let fixture = "Tests/Fixtures/dpkg-status"
    // This file is Sources/CofferToolKit/Demo/DemoFiles.swift.
    let package = #filePath.split(separator: "/", omittingEmptySubsequences: false)
      .dropLast(4).joined(separator: "/")
    for path in [fixture, "\(package)/\(fixture)"] where hasPackages(path) {
      return (
        path,
        "This machine has no list of packages in \(machineStatus), so a piece of another one's "
          + "is read."
      )
    }
    throw ToolError(
      .noInput,
      "This machine has no list of packages in \(machineStatus), and there is no \(fixture) "
        + "here. Name a list: coffer demo --status FILE")
  }

  private static func hasPackages(_ path: String) -> Bool {
    guard let source = try? ByteSource.file(path) else { return false }
    var status = DpkgStatus(source)
    return (try? status.next()) != nil
  }
}
