import Glibc

/// Where the demo reads from and writes to.
struct DemoFiles {
  /// What the person asked for.
  struct Options: Equatable {
    /// The list of packages; nil for this machine's.
    var status: String?
    /// The file to make and to keep; nil for a temporary one.
    var database: String?
    /// Whether the file stays, wherever it is.
    var keepsDatabase = false
  }

  /// The list of packages that this machine has, if it is a Debian or an Ubuntu.
  static let machineStatus = "/var/lib/dpkg/status"

  /// The list of packages to read.
  let status: String
  /// Why that one was taken; nil where that is obvious.
  let statusNote: String?
  /// The file to make.
  let database: String
  /// Whether it stays.
  let isKept: Bool

  /// Chooses the files; a folder for temporary ones is made.
  init(_ options: Options, machineStatus: String = machineStatus) throws {
    (status, statusNote) = try Self.chooseStatus(options, machineStatus: machineStatus)
    isKept = options.keepsDatabase || options.database != nil
    if let path = options.database {
      var information = stat()
      guard lstat(path, &information) != 0 else {
        throw ToolError(
          .cantCreate, "\(path) exists already. Name another file, or delete this one first.")
      }
      database = path
    } else {
      database = try Self.makeTemporaryFolder() + "/inventory.db"
    }
    Leftovers.add(database)
  }

  /// Deletes the database and its folder, unless they are to stay.
  func cleanUp(isComplete: Bool) {
    if isKept, isComplete {
      Leftovers.keep(database)
      Leftovers.keep(folder)
    } else {
      Leftovers.remove(database)
      // A folder that the person named isn't empty, or isn't ours: only a temporary one goes.
      if folder.contains(Self.temporaryName) { Leftovers.remove(folder) }
    }
  }

  private static let temporaryName = "coffer-demo-"

  private var folder: String {
    database.lastIndex(of: "/").map { String(database[..<$0]) } ?? "."
  }

  private static func makeTemporaryFolder() throws -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array(((parent.isEmpty ? "/tmp" : parent) + "/\(temporaryName)XXXXXX").utf8CString)
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
    // This file is Sources/CofferTool/Demo/DemoFiles.swift.
    let package = #filePath.split(separator: "/", omittingEmptySubsequences: false)
      .dropLast(4).joined(separator: "/")
    for path in [fixture, "\(package)/\(fixture)"] where hasPackages(path) {
      return (
        path, "This machine has no \(machineStatus), so a small copy of another one's is read."
      )
    }
    throw ToolError(
      .noInput,
      "This machine has no \(machineStatus), and there is no \(fixture) here. "
        + "Name a list of packages: coffer demo --status FILE")
  }

  private static func hasPackages(_ path: String) -> Bool {
    guard let source = try? ByteSource.file(path) else { return false }
    var status = DpkgStatus(source)
    return (try? status.next()) != nil
  }
}
