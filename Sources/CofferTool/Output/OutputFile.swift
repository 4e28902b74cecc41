import Glibc

/// A file that the tool writes, readable by its owner only: what leaves a database is plaintext.
final class OutputFile {
  private let path: String
  private var descriptor: CInt
  /// Whether the file wasn't there before: a part of it isn't kept.
  private let isNew: Bool

  init(_ path: String) throws {
    self.path = path
    var file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    isNew = file >= 0
    if !isNew, errno == EEXIST { file = try Self.openExisting(path) }
    descriptor = file
    guard descriptor >= 0 else {
      throw ToolError(
        .cantCreate, "\(path): \(String(cString: strerror(errno))). Check the folder and its rights"
      )
    }
    if isNew { Leftovers.add(path) }
  }

  /// Opens and empties a file, or opens a pipe or a device.
  ///
  /// - Throws: An error if another user may have put the file there, who would get what is written.
  private static func openExisting(_ path: String) throws -> CInt {
    var link = stat()
    let isLink = lstat(path, &link) == 0 && link.st_mode & S_IFMT == S_IFLNK
    let file = open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return file }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return file }
    var reason: String?
    if status.st_uid != geteuid() || isLink && link.st_uid != geteuid() && link.st_uid != 0 {
      reason = "it belongs to another user"
    } else if status.st_nlink > 1 {
      reason = "it has another name besides"
    }
    if let reason {
      close(file)
      throw ToolError(.cantCreate, "\(path) is not overwritten: \(reason). Name another file")
    }
    guard ftruncate(file, 0) == 0 else {
      let code = errno
      close(file)
      errno = code
      return -1
    }
    return file
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    if isNew { Leftovers.remove(path) }
  }

  func write(_ bytes: [UInt8]) throws {
    guard Console.writeAll(bytes, to: descriptor) else {
      let reason = String(cString: strerror(errno))
      throw ToolError(.inputOutput, "\(path): \(reason). Check the disk and its free space")
    }
  }

  func finish() throws {
    let result = close(descriptor)
    descriptor = -1
    Leftovers.keep(path)
    guard result == 0 else {
      throw ToolError(.inputOutput, "\(path): \(String(cString: strerror(errno)))")
    }
  }
}

extension Console {
  /// Calls `body` with the file of `--output`, or else with standard output.
  func withOutput<Result>(
    _ invocation: Invocation, _ body: (ByteOutput) throws -> Result
  ) throws -> Result {
    guard let path = invocation.value("output"), path != "-" else {
      let output = ByteOutput(self)
      let result = try body(output)
      try output.flush()
      return result
    }
    if let database = invocation.argument(0), Self.isSameFile(path, database) {
      throw ToolError(.usage, "--output \(path) is the database itself. Name another file")
    }
    let file = try OutputFile(path)
    let output = ByteOutput(sink: { try file.write($0) })
    let result = try body(output)
    try output.flush()
    try file.finish()
    return result
  }

  private static func isSameFile(_ first: String, _ second: String) -> Bool {
    var (a, b) = (stat(), stat())
    return stat(first, &a) == 0 && stat(second, &b) == 0 && a.st_dev == b.st_dev
      && a.st_ino == b.st_ino
  }
}

extension ByteOutput {
  convenience init(_ console: Console) {
    self.init(
      isTerminal: console.isTerminal, width: console.width, isStyled: console.isStyled,
      sink: { console.writeBytes($0) })
  }
}
