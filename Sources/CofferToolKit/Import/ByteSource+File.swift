import Glibc

extension ByteSource {
  /// Returns the bytes of a file.
  /// - Throws: ``FileError`` if the file can't be read.
  static func file(_ path: String) throws -> ByteSource {
    let file = try OpenFile(path: path)
    return ByteSource(size: file.size) { try file.append(to: &$0) }
  }
}

/// A file that is open for reading until the last reference is released.
private final class OpenFile {
  private static let chunk = 1 << 16
  private let path: String
  private let descriptor: CInt
  let size: Int?

  init(path: String) throws {
    self.path = path
    // A socket can't be opened by that name. Opening a pipe doesn't wait for its writer: reading
    // does.
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
