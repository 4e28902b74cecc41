import Coffer
import Glibc

/// Bytes of a key on their way from a file or a terminal to a ``DatabaseKey``, wiped when the last
/// reference is released.
///
/// They are never copied into a `String`, and the buffer never grows, so no other copy is left.
final class SecretBytes {
  /// The largest secret that can be read, in bytes.
  static let capacity = DatabaseKey.largestKeyFile

  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  init() {
    buffer = .allocate(capacity: Self.capacity)
    buffer.initialize(repeating: 0)
    _ = mlock(buffer.baseAddress!, Self.capacity)
  }

  deinit {
    explicit_bzero(buffer.baseAddress!, Self.capacity)
    _ = munlock(buffer.baseAddress, Self.capacity)
    buffer.deallocate()
  }

  /// The bytes, valid while this object is.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: buffer[..<count]) }

  /// Adds a byte; returns false if there is no more space.
  func append(_ byte: UInt8) -> Bool {
    guard count < Self.capacity else { return false }
    buffer[count] = byte
    count += 1
    return true
  }

  func removeLast() {
    guard count > 0 else { return }
    count -= 1
    buffer[count] = 0
  }

  /// Removes one line end.
  func removeLineEnd() {
    guard bytes.last == UInt8(ascii: "\n") else { return }
    removeLast()
    if bytes.last == UInt8(ascii: "\r") { removeLast() }
  }

  func isEqual(to other: SecretBytes) -> Bool { bytes.elementsEqual(other.bytes) }

  /// Reads to the end of a file descriptor.
  ///
  /// - Parameter endsAtLine: Whether the first line end is the end, so that a second line stays for
  ///   another key.
  func read(_ descriptor: CInt, name: String, endsAtLine: Bool = false) throws {
    while count < Self.capacity {
      let rest = UnsafeMutableRawPointer(buffer.baseAddress! + count)
      let got = Glibc.read(descriptor, rest, endsAtLine ? 1 : Self.capacity - count)
      if got == 0 { return }
      if got < 0 {
        if errno == EINTR { continue }
        throw FileError(path: name, code: errno)
      }
      count += got
      if endsAtLine, bytes.last == UInt8(ascii: "\n") { return }
    }
    throw ToolError(.noPermission, "\(name) has more than \(Self.capacity) bytes. Is it a key?")
  }

  // MARK: Keys

  /// The bytes as a passphrase.
  func passphrase(from name: String) throws -> DatabaseKey {
    guard count > 0 else {
      throw ToolError(.noPermission, "\(name) has no passphrase: it is empty")
    }
    return .passphrase(bytes: bytes)
  }

  /// The bytes as a raw key: 64 hexadecimal digits, perhaps with a line end, or 32 bytes. 96 digits
  /// are a key and its salt.
  ///
  /// - Returns: Nil if they are anything else.
  func rawKey() throws -> DatabaseKey? {
    if count == 32 { return try .raw(bytes) }
    removeLineEnd()
    guard count == 64 || count == 96 else { return nil }
    var decoded = [UInt8](repeating: 0, count: count / 2)
    defer { decoded.withUnsafeMutableBytes { explicit_bzero($0.baseAddress!, $0.count) } }
    for index in decoded.indices {
      guard let high = Character(Unicode.Scalar(bytes[2 * index])).hexDigitValue,
        let low = Character(Unicode.Scalar(bytes[2 * index + 1])).hexDigitValue
      else { return nil }
      decoded[index] = UInt8(high << 4 | low)
    }
    return decoded.count == 32
      ? try .raw(decoded) : try .raw(decoded[..<32], salt: Array(decoded[32...]))
  }
}
