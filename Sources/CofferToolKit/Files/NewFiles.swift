import Coffer
import Glibc

/// The files that the commands make.
enum NewFile {
  /// Throws if there is something at a path already, or if its folder is missing.
  ///
  /// - Parameter suffix: That of a file beside it that may be there.
  static func require(_ path: String, besides suffix: String? = nil) throws {
    try requireOwnName(path)
    for file in Leftovers.files(of: path) where suffix.map({ file != path + $0 }) ?? true {
      var information = stat()
      if lstat(file, &information) == 0 {
        throw ToolError(
          .cantCreate, "\(file) exists already. Name another file, or delete this one first")
      }
    }
    let folder =
      path.contains("/")
      ? path.split(
        separator: "/", omittingEmptySubsequences: false
      ).dropLast().joined(separator: "/") + "/" : "."
    guard access(folder, W_OK | X_OK) == 0 else {
      throw ToolError(
        .cantCreate, "\(path): \(String(cString: strerror(errno))). Check the folder and its rights"
      )
    }
  }

  /// Throws if the file would be one of another database, as its log, by its name.
  static func requireOwnName(_ path: String) throws {
    // SQLite would make a database in memory, or a temporary one.
    if path == ":memory:" || path.isEmpty {
      throw ToolError(
        .usage, "\(path.isEmpty ? "\"\"" : path) names no file. Name one, such as ./app.db")
    }
    for suffix in Leftovers.files(of: "") where !suffix.isEmpty && path.hasSuffix(suffix) {
      let database = String(path.dropLast(suffix.count))
      var information = stat()
      guard stat(database, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      throw ToolError(
        .cantCreate, "\(path) would belong to the database \(database). Name another file")
    }
  }

  /// Calls `body`, which makes the file, and removes the file if that fails or is interrupted.
  static func making<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    try require(path)
    Leftovers.add(path)
    do {
      let result = try body()
      Leftovers.keep(path)
      return result
    } catch {
      // The new file is in place, and can be the only one with its key.
      let isInPlace = (error as? DatabaseError)?.extendedResultCode == .SQLITE_IOERR_DIR_FSYNC
      if isInPlace { Leftovers.keep(path) } else { Leftovers.remove(path) }
      throw creationError(error, path)
    }
  }

  /// A file that can't be made is another error than one that can't be opened.
  static func creationError(_ error: any Error, _ path: String) -> ToolError {
    if let error = error as? DatabaseError, error.resultCode == .SQLITE_CANTOPEN {
      return ToolError(.cantCreate, "\(path): \(error.message ?? "it can't be created")")
    }
    return ToolError(error, path: path)
  }
}

extension Tool {
  /// `coffer create`
  static func createFile(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let path = invocation.arguments[0]
    try NewFile.require(path)
    guard invocation.value("label") == nil || invocation.has("slots") else {
      throw ToolError(.usage, "--label names the first key slot: give --slots, too")
    }
    let opening = try Opening(invocation, path: path)
    var key = try opening.newKey()
    try NewFile.making(path) {
      if invocation.has("slots") {
        let unlocker = opening.unlocker(key)
        _ = try KeySlots.create(
          forDatabaseAt: path, unlocker: unlocker, label: invocation.value("label") ?? "")
        key = .slots(unlocker: unlocker)
      }
      let configuration = opening.configuration(key, readonly: false)
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      // The first write makes the file.
      try queue.write { try $0.execute(sql: "PRAGMA user_version = 0") }
      try queue.close()
    }
    if console.isTerminal { console.line("\(path.printable) is ready: coffer \(path.printable)") }
    return 0
  }

  /// `coffer keygen`
  static func keygen(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let path = invocation.arguments[0]
    try NewFile.requireOwnName(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let advice = errno == EEXIST ? "Name another file" : "Check the folder and its rights"
      throw ToolError(.cantCreate, "\(path): \(String(cString: strerror(errno))). \(advice)")
    }
    Leftovers.add(path)
    let isWritten = DatabaseKey.random().withUnsafeRawKey { key in
      var digits: [UInt8] = []
      digits.reserveCapacity(65)
      for byte in key {
        for nibble in [byte >> 4, byte & 15] { digits.append(nibble + (nibble < 10 ? 0x30 : 0x57)) }
      }
      digits.append(0x0A)
      defer { digits.withUnsafeMutableBytes { explicit_bzero($0.baseAddress!, $0.count) } }
      return Console.writeAll(digits, to: descriptor) && fsync(descriptor) == 0
    }
    let code = errno
    guard close(descriptor) == 0, isWritten == true else {
      Leftovers.remove(path)
      throw ToolError(.inputOutput, "\(path): \(String(cString: strerror(code))). Check the disk")
    }
    Leftovers.keep(path)
    return 0
  }
}
