import CofferCore
import Glibc

/// A file that the tool writes.
///
/// It is written beside its place, and moved there once it is complete: what fails leaves the file
/// that was there. A new one can be read by its owner only, as what leaves a database is plaintext.
/// One that replaces another gets its permissions. Pipes, devices and what a process has open
/// already are written as they are.
final class OutputFile {
  private enum Place {
    case pending(PendingFile)
    case stream(CInt)
  }

  private let path: String
  private let place: Place
  private var size = 0

  init(_ path: String) throws {
    self.path = path
    do {
      place = try Self.place(path)
    } catch let error as DatabaseError {
      throw ToolError(
        .cantCreate, "\(path): \(error.message ?? "\(error)"). Check the folder and its rights")
    }
    if case .pending(let file) = place { Leftovers.add(file.path) }
  }

  /// Finds the place of the file, and opens a pipe or a device.
  ///
  /// - Throws: An error if another user may have put there what is there, or a link to it: he would
  ///   get what is written.
  private static func place(_ path: String) throws -> Place {
    func failure() -> ToolError {
      ToolError(
        .cantCreate, "\(path): \(String(cString: strerror(errno))). Check the folder and its rights"
      )
    }
    var name = path
    // As many links as Linux follows.
    for _ in 0..<40 {
      var status = stat()
      guard lstat(name, &status) == 0 else {
        // A link that leads nowhere isn't followed.
        guard errno == ENOENT, name == path else { throw failure() }
        return .pending(try PendingFile(for: name))
      }
      // What a process has open already, as in /dev/stdout, has no place and can be anybody's.
      if isOfProcess(status) { return .stream(try openStream(name, path, ofProcess: true)) }
      if status.st_mode & S_IFMT == S_IFLNK {
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw foreign(path) }
        guard let target = destination(ofLink: name) else { throw failure() }
        name = target
        continue
      }
      // Before a pipe is opened, which waits for its reader.
      try requireOwn(status, path)
      guard status.st_mode & S_IFMT == S_IFREG else {
        return .stream(try openStream(name, path, ofProcess: false))
      }
      let file = try PendingFile(for: name)
      try file.takePermissions(from: name)
      return .pending(file)
    }
    errno = ELOOP
    throw failure()
  }

  private static func openStream(
    _ name: String, _ path: String, ofProcess isOfProcess: Bool
  ) throws -> CInt {
    // A file that the shell has opened is continued where its end is.
    let file = open(name, O_WRONLY | O_CLOEXEC | (isOfProcess ? O_APPEND : O_NOFOLLOW))
    guard file >= 0 else {
      throw ToolError(
        .cantCreate, "\(path): \(String(cString: strerror(errno))). Check the folder and its rights"
      )
    }
    do {
      // It can be another file by now.
      var status = stat()
      guard fstat(file, &status) == 0 else { throw foreign(path) }
      let isFile = status.st_mode & S_IFMT == S_IFREG
      if isFile || !isOfProcess { try requireOwn(status, path) }
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
    switch place {
    case .pending(let file):
      file.discard()
      Leftovers.keep(file.path)
    case .stream(let descriptor): close(descriptor)
    }
  }

  func write(_ bytes: [UInt8]) throws {
    switch place {
    case .pending(let file):
      try telling { try file.write(bytes, at: size) }
      size += bytes.count
    case .stream(let descriptor):
      guard Console.writeAll(bytes, to: descriptor) else {
        let reason = String(cString: strerror(errno))
        throw ToolError(.inputOutput, "\(path): \(reason). Check the disk and its free space")
      }
    }
  }

  /// Moves the file to its place.
  func finish() throws {
    guard case .pending(let file) = place else { return }
    try telling { try file.moveToTarget(replaces: true) }
  }

  private func telling(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as DatabaseError {
      throw ToolError(
        .inputOutput, "\(path): \(error.message ?? "\(error)"). Check the disk and its free space")
    }
  }
}

extension Console {
  /// Calls `body` with the file of `--output`, or else with standard output.
  ///
  /// - Parameters:
  ///   - opening: How the database was opened; by default as the command says.
  ///   - attached: The other databases of the connection.
  func withOutput<Result>(
    _ invocation: Invocation, of opening: Opening? = nil, _ attached: [String] = [],
    _ body: (ByteOutput) throws -> Result
  ) throws -> Result {
    guard let path = invocation.value("output"), path != "-" else {
      let output = ByteOutput(self)
      let result = try body(output)
      try output.flush()
      return result
    }
    let opening = try opening ?? Opening(invocation, path: invocation.arguments[0])
    if let objection = opening.objection(toWriting: path, attached) {
      throw ToolError(.usage, "--output \(path) \(objection). Name another file")
    }
    let file = try OutputFile(path)
    let output = ByteOutput(sink: { try file.write($0) })
    let result = try body(output)
    try output.flush()
    try file.finish()
    return result
  }
}

extension ByteOutput {
  convenience init(_ console: Console) {
    self.init(
      isTerminal: console.isTerminal, width: console.width, isStyled: console.isStyled,
      sink: { console.writeBytes($0) })
  }
}
