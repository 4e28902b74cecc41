import FoundationEssentials

/// The reason why the desktop's keyring gives no key. No message contains any of the key.
public enum SecretServiceError: Error, Hashable, Sendable {
  /// The program was built without the package trait `SecretService`.
  case traitIsOff
  /// The keyring has no such key.
  case missing(service: String, account: String)
  /// The keyring is locked, and wasn't unlocked.
  case locked
  /// The keyring has several such keys.
  case ambiguous(service: String, account: String)
  /// The keyring's item holds something else.
  case notAKey(service: String, account: String)
  /// The service can't be reached, or refuses.
  case failed(String)
}

extension SecretServiceError: CustomStringConvertible, LocalizedError {
  /// A description of the problem and its remedy.
  public var description: String {
    switch self {
    case .traitIsOff:
      "The desktop's keyring can't be asked: the program was built without the trait SecretService. "
        + "Install libsecret-1-dev, and add traits: [\"SecretService\"] to the package's dependency."
    case .missing(let service, let account):
      "The keyring has no key of \(service) for \"\(account)\". Open the database with another slot, "
        + "such as its recovery key, and add a slot of this keyring."
    case .locked:
      "The keyring is locked, and wasn't unlocked. Unlock it and try again."
    case .ambiguous(let service, let account):
      "The keyring has several keys of \(service) for \"\(account)\", so that none is certain. Delete "
        + "those that no database uses."
    case .notAKey(let service, let account):
      "The keyring's item of \(service) for \"\(account)\" is no raw key of 64 hexadecimal digits."
    case .failed(let reason):
      "The desktop's keyring can't be used: \(reason). It needs a session with D-Bus and a Secret "
        + "Service, such as GNOME Keyring or KWallet."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
