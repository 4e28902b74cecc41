import Glibc

/// A file that the tool writes.
///
/// A new one can be read by its owner only: what leaves a database is plaintext. One that exists keeps
/// its permissions, as with the shell's `>`.
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
  /// - Throws: An error if another user may have put it there, or a link to it: he would get what is
  ///   written.
  private static func openExisting(_ path: String) throws -> CInt {
    var name = path
    var isLinkOfProcess = false
    // As many links as Linux follows.
    for _ in 0..<40 {
      var status = stat()
      guard lstat(name, &status) == 0 else { return -1 }
      // What a process has open already, as in /dev/stdout, has no place and can be anybody's.
      isLinkOfProcess = isOfProcess(status)
      guard status.st_mode & S_IFMT == S_IFLNK, !isLinkOfProcess else {
        // Before a pipe is opened, which waits for its reader.
        try requireOwn(status, path)
        break
      }
      guard status.st_uid == geteuid() || status.st_uid == 0 else { throw foreign(path) }
      guard let target = destination(ofLink: name) else { return -1 }
      name = target
    }
    let file = open(name, O_WRONLY | O_CLOEXEC | (isLinkOfProcess ? 0 : O_NOFOLLOW))
    guard file >= 0 else { return file }
    do {
      // It can be another file by now.
      var status = stat()
      guard fstat(file, &status) == 0 else { throw foreign(path) }
      let isFile = status.st_mode & S_IFMT == S_IFREG
      if isFile || !isLinkOfProcess { try requireOwn(status, path) }
      guard !isFile || ftruncate(file, 0) == 0 else {
        let code = errno
        close(file)
        errno = code
        return -1
      }
      return file
    } catch {
      close(file)
      throw error
    }
  }

  /// Throws if a file, a pipe or a socket is another user's, or if a file has a second name.
  private static func requireOwn(_ status: stat, _ path: String) throws {
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      if status.st_uid != geteuid() { throw foreign(path) }
      if status.st_nlink > 1 { throw refusal(path, "it has another name besides") }
    case S_IFIFO, S_IFSOCK:
      if status.st_uid != geteuid(), status.st_uid != 0 { throw foreign(path) }
    // Only root makes devices.
    default: break
    }
  }

  private static func foreign(_ path: String) -> ToolError {
    refusal(path, "it belongs to another user")
  }

  private static func refusal(_ path: String, _ reason: String) -> ToolError {
    ToolError(.cantCreate, "\(path) is not overwritten: \(reason). Name another file")
  }

  /// Whether a file is in /proc.
  private static func isOfProcess(_ status: stat) -> Bool {
    var process = stat()
    return stat("/proc/self", &process) == 0 && process.st_dev == status.st_dev
  }

  /// The path that a link leads to, from the current folder.
  private static func destination(ofLink path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = bytes.withUnsafeMutableBytes { buffer in
      readlink(path, buffer.bindMemory(to: CChar.self).baseAddress!, buffer.count)
    }
    guard count > 0 else { return nil }
    let target = String(decoding: bytes.prefix(count), as: UTF8.self)
    guard !target.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return target }
    return path[...slash] + target
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
