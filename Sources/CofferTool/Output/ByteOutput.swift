import Glibc

/// A buffer in front of a file or of the console.
final class ByteOutput {
  private static let limit = 1 << 16

  @exclusivity(unchecked) var buffer: [UInt8] = []
  /// Whether the output is a terminal, and its number of columns.
  let isTerminal: Bool
  let width: Int
  /// Whether NULL is dim.
  let isStyled: Bool
  private let sink: ([UInt8]) throws -> Void

  init(
    isTerminal: Bool = false, width: Int = 100, isStyled: Bool = false,
    sink: @escaping ([UInt8]) throws -> Void
  ) {
    self.isTerminal = isTerminal
    self.width = width
    self.isStyled = isStyled
    self.sink = sink
    buffer.reserveCapacity(Self.limit + 4096)
  }

  convenience init(_ console: Console) {
    self.init(
      isTerminal: console.isTerminal, width: console.width, isStyled: console.isStyled,
      sink: { console.writeBytes($0) })
  }

  func append(_ text: String) { buffer += text.utf8 }

  func append(_ byte: UInt8) { buffer.append(byte) }

  func line(_ text: String) {
    buffer += text.utf8
    buffer.append(0x0A)
    flushIfFull()
  }

  private var failure: (any Error)?

  /// Writes the bytes once there are many. An error is thrown by the next ``flush()``.
  @inline(__always)
  func flushIfFull() {
    if buffer.count >= Self.limit { writeOut() }
  }

  private func writeOut() {
    guard failure == nil else { return buffer.removeAll(keepingCapacity: true) }
    do { try sink(buffer) } catch { failure = error }
    buffer.removeAll(keepingCapacity: true)
  }

  func flush() throws {
    if !buffer.isEmpty { writeOut() }
    if let failure { throw failure }
  }
}

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
    if !isNew, errno == EEXIST { file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) }
    descriptor = file
    guard descriptor >= 0 else {
      throw ToolError(
        .cantCreate, "\(path): \(String(cString: strerror(errno))). Check the folder and its rights"
      )
    }
    if isNew { Leftovers.add(path) }
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
