import Glibc

/// A source of bytes, read in chunks.
struct ByteSource {
  /// The number of bytes; nil if it isn't known in advance.
  let size: Int?

  /// Appends the next bytes; returns false at the end.
  let readChunk: (_ target: inout [UInt8]) throws -> Bool

  /// Returns whether a path is a file that can be read twice, unlike a pipe.
  static func isRepeatable(_ path: String) -> Bool {
    var status = stat()
    // What standard input gives is gone, even if it is a file.
    return path != "/dev/stdin" && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Throws if a file begins with the mark of UTF-16.
  static func refuseUTF16(_ bytes: [UInt8]) throws {
    guard bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) else { return }
    throw ToolError(
      .failed,
      "line 1: this is UTF-16. Make it UTF-8 first: iconv -f UTF-16 -t UTF-8. Nothing was imported")
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
