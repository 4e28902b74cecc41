import CofferVault

#if SecretService
  import CSecret
#endif

/// A key in the desktop's keyring, by the Secret Service of D-Bus: GNOME Keyring, KWallet,
/// KeePassXC.
///
/// ```swift
/// let keyring = SecretServiceProvider(service: "org.example.Notes")
/// let slots = try KeySlots.create(
///   forDatabaseAt: "notes.db", unlocker: .provider(keyring), label: "this desktop")
/// let recovery = try slots.addRecoveryKey(authorizedBy: .provider(keyring))
/// let queue = try DatabaseQueue(path: "notes.db", key: .slots(unlocker: .provider(keyring)))
/// ```
///
/// A keyring can be lost with the desktop that had it, so a database needs a second slot, best of a
/// recovery key. For a new slot, a random key is stored in the default keyring if there is none; a
/// missing key is never replaced when a database is opened, and an item of the keyring never
/// overwritten.
///
/// The key is an item with the schema `io.coffer.DatabaseKey` and the attributes `service` and
/// `account`, whose secret is the raw key's 64 hexadecimal digits. Each program of the person's
/// session can read it.
///
/// Any call waits for the person where the keyring is locked, so open such a database outside the
/// main thread. Needs the package trait `SecretService` and Debian's `libsecret-1-dev`.
///
/// See <https://specifications.freedesktop.org/secret-service/>.
public struct SecretServiceProvider: KeyProvider, Hashable {
  /// The program, such as `org.example.Notes`.
  public let service: String

  /// What the key is for, such as a profile's name.
  ///
  /// It doesn't follow the database's path, so that a database can be moved.
  public let account: String

  /// Makes a provider of the key that the keyring has for a program, or will have.
  public init(service: String, account: String = "default") {
    self.service = service
    self.account = account
  }

  /// Returns the key that the keyring has.
  ///
  /// - Throws: ``SecretServiceError``
  public func key(forDatabaseAt path: String) throws -> DatabaseKey {
    guard let key = try storedKey() else {
      throw SecretServiceError.missing(service: service, account: account)
    }
    return key
  }

  /// Returns the key that the keyring has, or stores a random one.
  ///
  /// - Throws: ``SecretServiceError``
  public func makeKey(forDatabaseAt path: String) throws -> DatabaseKey {
    if let key = try storedKey() { return key }
    let key = DatabaseKey.random()
    try store(key)
    return key
  }

  /// Removes the key from the keyring.
  ///
  /// Remove the slots first that were made with it. No key is no error.
  /// - Throws: ``SecretServiceError``
  public func removeKey() throws {
    #if SecretService
      try checkNames()
      var message: UnsafeMutablePointer<CChar>?
      let result = unsafe coffer_secret_remove(service, account, &message)
      if result != COFFER_SECRET_MISSING { try unsafe check(result, message) }
    #else
      throw SecretServiceError.traitIsOff
    #endif
  }
}

#if SecretService
  extension SecretServiceProvider {
    private func checkNames() throws(SecretServiceError) {
      guard !service.isEmpty, !service.utf8.contains(0), !account.utf8.contains(0) else {
        throw .failed("the service's name is empty, or a name has a NUL")
      }
    }

    private func storedKey() throws -> DatabaseKey? {
      try checkNames()
      var count = 0
      var result = COFFER_SECRET_FAILED
      var message: UnsafeMutablePointer<CChar>?
      // A raw key's digits; a longer secret is none.
      let secret = SecureBytes(count: 64) { target in
        result = unsafe coffer_secret_lookup(
          service, account, target.baseAddress, target.count, &count, &message)
      }
      if result == COFFER_SECRET_MISSING { return nil }
      try unsafe check(result, message)
      let key = secret.withUnsafeBytes { bytes in
        unsafe count > bytes.count
          ? nil : DatabaseKey.keyFromHex(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
      guard let key else {
        throw SecretServiceError.notAKey(service: service, account: account)
      }
      return key
    }

    private func store(_ key: DatabaseKey) throws {
      let digits = SecureBytes(count: 64) { target in
        _ = key.withUnsafeRawKey { unsafe writeHex($0, into: target, at: 0) }
      }
      var item: UnsafeMutableRawPointer?
      var message: UnsafeMutablePointer<CChar>?
      let result = digits.withUnsafeBytes { bytes in
        unsafe coffer_secret_add(
          service, account, "Database key of \(service)", bytes.baseAddress, bytes.count, &item,
          &message)
      }
      try unsafe check(result, message)
      // Another program may have stored its own meanwhile: then neither is the key.
      do {
        _ = try self.key(forDatabaseAt: "")
        unsafe coffer_secret_keep(item)
      } catch {
        unsafe coffer_secret_delete(item)
        throw error
      }
    }

    /// Throws the error that a result is, and releases its message.
    private func check(
      _ result: coffer_secret_result, _ message: UnsafeMutablePointer<CChar>?
    ) throws(SecretServiceError) {
      defer { unsafe g_free(message) }
      switch result {
      case COFFER_SECRET_DONE: return
      case COFFER_SECRET_MISSING: throw .missing(service: service, account: account)
      case COFFER_SECRET_LOCKED: throw .locked
      case COFFER_SECRET_AMBIGUOUS: throw .ambiguous(service: service, account: account)
      default:
        throw unsafe .failed(message.map { unsafe String(cString: $0) } ?? "no reason was given")
      }
    }
  }
#else
  extension SecretServiceProvider {
    private func storedKey() throws -> DatabaseKey? { throw SecretServiceError.traitIsOff }
    private func store(_ key: DatabaseKey) throws { throw SecretServiceError.traitIsOff }
  }
#endif
