import CofferSQLite
import Glibc

/// Keys of the type `user` in the kernel's keyrings.
enum KernelKeyring {
  /// Returns a key of the session's keyring or of the user's.
  ///
  /// - Parameter makesKey: Whether to store a random key in the user's keyring if there is none.
  static func key(_ description: String, makesKey: Bool) throws(KeySlotsError) -> SecureBytes {
    guard !description.isEmpty, !description.utf8.contains(0) else {
      throw .unavailable(.kernelKeyring, reason: "its description is empty or holds a NUL")
    }
    if let serial = try find(description) { return try read(serial) }
    guard makesKey else {
      throw .unavailable(
        .kernelKeyring, reason: "there is no key \(description) in the session's or user's keyring")
    }
    let key = SecureBytes(count: 32) { unsafe fillWithRandomBytes($0) }
    guard key.withUnsafeBytes({ unsafe SystemCalls.addKey(description, $0) }) >= 0 else {
      throw failure()
    }
    return key
  }

  /// Removes a key from the user's keyring, for tests.
  static func remove(_ description: String) {
    guard let serial = try? find(description) else { return }
    SystemCalls.removeKey(serial)
  }

  private static func find(_ description: String) throws(KeySlotsError) -> Int? {
    for inSession in [true, false] {
      let serial = SystemCalls.findKey(description, inSession: inSession)
      if serial >= 0 { return serial }
      switch errno {
      case ENOKEY, EKEYEXPIRED, EKEYREVOKED, EACCES: continue
      default: throw failure()
      }
    }
    return nil
  }

  private static func read(_ serial: Int) throws(KeySlotsError) -> SecureBytes {
    let capacity = 4096
    var count = -1
    let buffer = SecureBytes(count: capacity) { count = unsafe SystemCalls.readKey(serial, to: $0) }
    guard count >= 0 else { throw failure() }
    // A shorter one could be guessed.
    guard (16...capacity).contains(count) else {
      throw .unavailable(
        .kernelKeyring, reason: "its key has \(count) bytes, not 16 to \(capacity)")
    }
    return buffer.withUnsafeBytes {
      unsafe SecureBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
  }

  private static func failure() -> KeySlotsError {
    .unavailable(.kernelKeyring, reason: unsafe String(cString: strerror(errno)))
  }
}
