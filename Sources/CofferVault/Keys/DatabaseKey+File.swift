import CofferSQLite
import Glibc

extension DatabaseKey {
  /// The maximum size of a key file, in bytes.
  public static let largestKeyFile = 65_536

  /// Reads a key from a file.
  ///
  /// - 32 bytes that aren't all printable ASCII are a raw key.
  /// - 64 or 96 hexadecimal digits are a raw key, or a raw key and its salt. A line end may follow.
  /// - 160 digits are an error: a key, a salt and an HMAC key, as SQLCipher 4.7 takes them.
  /// - Other text in UTF-8 is a passphrase, without one line end after it.
  ///
  /// Other bytes are an error: most likely they are a damaged raw key. For a passphrase in another
  /// encoding, see ``passphrase(bytes:)``.
  ///
  /// A file that all users of the machine can read or write is refused. Access by its group is
  /// allowed.
  /// - Throws: ``DatabaseKeyError``, which names the file.
  public static func file(_ path: String) throws(DatabaseKeyError) -> DatabaseKey {
    guard CName.isWhole(path) else {
      throw .unreadableKeyFile(path: path, reason: "its path has a NUL character")
    }
    let descriptor = SystemCalls.retrying { unsafe open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    return try contents(of: descriptor, path: path)
  }

  /// Reads a key from an open file or pipe, up to its end.
  static func contents(of descriptor: CInt) throws(DatabaseKeyError) -> DatabaseKey {
    try contents(of: descriptor, path: "of descriptor \(descriptor)")
  }

  private static func contents(
    of descriptor: CInt, path: String
  ) throws(DatabaseKeyError) -> DatabaseKey {
    let (contents, count) = try readKeyFile(descriptor, path)
    return try contents.withUnsafeBytes { buffer throws(DatabaseKeyError) in
      let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if count == 32, unsafe !bytes.allSatisfy(isText) {
        return DatabaseKey(form: .raw, bytes: SecureBytes(copying: bytes))
      }
      let line = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropLast(lineEndCount(bytes)))
      if unsafe line.isEmpty { throw .emptyKeyFile(path: path) }
      if let key = keyFromHex(line) { return key }
      if line.count == 160, unsafe line.allSatisfy({ hexValue($0) != nil }) {
        throw .wrongKeyLength(byteCount: 80)
      }
      guard unsafe line.allSatisfy(FileSignature.isTextByte),
        unsafe String(validating: line, as: UTF8.self) != nil
      else { throw .binaryKeyFile(path: path, byteCount: count) }
      return DatabaseKey(form: .passphrase, bytes: SecureBytes(copying: line))
    }
  }

  /// Returns the raw key that 64 digits are, or the raw key and salt that 96 are.
  @safe package static func keyFromHex(_ digits: UnsafeRawBufferPointer) -> DatabaseKey? {
    guard digits.count == 64 || digits.count == 96,
      unsafe digits.allSatisfy({ hexValue($0) != nil })
    else { return nil }
    func byte(_ index: Int) -> UInt8 {
      unsafe (hexValue(digits[2 * index]) ?? 0) << 4 | (hexValue(digits[2 * index + 1]) ?? 0)
    }
    let bytes = SecureBytes(count: 32) { target in
      for index in 0..<32 { unsafe target[index] = byte(index) }
    }
    let salt = (32..<(digits.count / 2)).map(byte)
    return DatabaseKey(form: salt.isEmpty ? .raw : .rawWithSalt(salt), bytes: bytes)
  }

  private static func isText(_ byte: UInt8) -> Bool {
    (0x20..<0x7f).contains(byte) || byte == 0x0a || byte == 0x0d || byte == 0x09
  }

  @safe private static func lineEndCount(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard unsafe bytes.last == 0x0a else { return 0 }
    return unsafe bytes.dropLast().last == 0x0d ? 2 : 1
  }

  /// Returns the file's bytes in a larger buffer, and their number.
  private static func readKeyFile(
    _ descriptor: CInt, _ path: String
  ) throws(DatabaseKeyError) -> (contents: SecureBytes, count: Int) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw unreadable(path) }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw .unreadableKeyFile(path: path, reason: "it is a directory")
    }
    if status.st_mode & (S_IROTH | S_IWOTH) != 0 { throw .exposedKeyFile(path: path) }
    if status.st_size > largestKeyFile { throw .oversizedKeyFile(path: path) }
    var count = 0
    let capacity = largestKeyFile + 1
    let contents = try SecureBytes(count: capacity) { target throws(DatabaseKeyError) in
      while count < capacity {
        // SAFETY: `read` gets the rest of the buffer and its length.
        let got = SystemCalls.retrying {
          unsafe read(descriptor, target.baseAddress.map { unsafe $0 + count }, capacity - count)
        }
        guard got >= 0 else { throw unreadable(path) }
        if got == 0 { break }
        count += got
      }
    }
    if count > largestKeyFile { throw .oversizedKeyFile(path: path) }
    if count == 0 { throw .emptyKeyFile(path: path) }
    return (contents, count)
  }

  private static func unreadable(_ path: String) -> DatabaseKeyError {
    unsafe .unreadableKeyFile(path: path, reason: String(cString: strerror(errno)))
  }
}
