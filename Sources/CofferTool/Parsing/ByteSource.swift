import Glibc

/// A source of bytes, read in chunks.
struct ByteSource {
  /// The number of bytes; nil if it isn't known in advance.
  let size: Int?

  /// Appends the next bytes; returns false at the end.
  let readChunk: (_ target: inout [UInt8]) throws -> Bool

  /// Returns the bytes of a file.
  /// - Throws: ``FileError`` if the file can't be read.
  static func file(_ path: String) throws -> ByteSource {
    let file = try OpenFile(path: path)
    return ByteSource(size: file.size) { try file.append(to: &$0) }
  }

  /// Returns whether a path is a file that can be read twice, unlike a pipe.
  static func isRepeatable(_ path: String) -> Bool {
    var status = stat()
    // What standard input gives is gone, even if it is a file.
    return path != "/dev/stdin" && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns bytes in memory, in chunks of a given size.
  static func bytes(_ bytes: [UInt8], chunk: Int = 4096) -> ByteSource {
    var position = 0
    return ByteSource(size: bytes.count) { target in
      let end = min(position + chunk, bytes.count)
      target += bytes[position..<end]
      defer { position = end }
      return end > position
    }
  }
}

/// The error of a file that can't be read.
struct FileError: Error, CustomStringConvertible {
  let path: String
  let code: CInt

  var description: String { "\(path): \(String(cString: strerror(code)))" }
}

/// A file that is open for reading until the last reference is released.
private final class OpenFile {
  private static let chunk = 1 << 16
  private let path: String
  private let descriptor: CInt
  let size: Int?

  init(path: String) throws {
    self.path = path
    // A socket can't be opened by that name. Opening a pipe doesn't wait for its writer: reading does.
    descriptor =
      path == "/dev/stdin"
      ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
    var status = stat()
    let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
    size = kind == S_IFREG && status.st_size > 0 ? Int(status.st_size) : nil
    if kind == S_IFDIR { throw FileError(path: path, code: EISDIR) }
  }

  deinit { close(descriptor) }

  func append(to target: inout [UInt8]) throws -> Bool {
    let path = path
    let descriptor = descriptor
    if size == nil { try waitForBytes() }
    let chunk = try [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, count in
      var result = read(descriptor, buffer.baseAddress, buffer.count)
      while result < 0, errno == EINTR || errno == EAGAIN {
        if errno == EAGAIN { try waitForBytes() }
        result = read(descriptor, buffer.baseAddress, buffer.count)
      }
      guard result >= 0 else { throw FileError(path: path, code: errno) }
      count = result
    }
    target += chunk
    return !chunk.isEmpty
  }

  /// Waits until a read doesn't; throws if Ctrl-C is pressed meanwhile.
  private func waitForBytes() throws {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    repeat { try Interrupts.check() } while poll(&wait, 1, 50) <= 0
  }
}
