import CofferSQLite
import FoundationEssentials
import Glibc

/// What opens a key slot: a passphrase, a recovery key, or a place that holds a secret.
///
/// Secrets given as text are held as those of a ``DatabaseKey`` are. A file, a descriptor, a
/// credential, a keyring and a provider are read when a database is opened or its slots are
/// changed, and what they hold isn't kept.
public struct KeyUnlocker: Sendable {
  enum Source: Sendable {
    indirect case key(DatabaseKey, KeySlot.Kind)
    case recoveryKey(SecureBytes)
    case file(String)
    case fileDescriptor(CInt)
    case credential(String)
    case kernelKeyring(String)
    case provider(any KeyProvider)
  }

  let source: Source

  private init(_ source: Source) { self.source = source }

  /// A passphrase, of which the slot's key is derived slowly.
  public static func passphrase(_ string: String) -> KeyUnlocker {
    key(.passphrase(string), as: .passphrase)
  }

  /// A passphrase of any bytes.
  public static func passphrase(bytes: some Collection<UInt8>) -> KeyUnlocker {
    key(.passphrase(bytes: bytes), as: .passphrase)
  }

  /// A key that the caller has read itself, from a place of this kind.
  public static func key(_ key: DatabaseKey, as kind: KeySlot.Kind) -> KeyUnlocker {
    KeyUnlocker(.key(key, kind))
  }

  /// The text of a ``RecoveryKey``, as a person types it.
  public static func recoveryKey(_ text: String) -> KeyUnlocker {
    KeyUnlocker(.recoveryKey(SecureBytes(copying: text.utf8)))
  }

  /// A key file, as ``DatabaseKey/file(_:)`` reads it.
  public static func file(_ path: String) -> KeyUnlocker { KeyUnlocker(.file(path)) }

  /// The rest of an open file or pipe, read to its end as a key file is.
  ///
  /// It can be read once, and stays open.
  public static func fileDescriptor(_ descriptor: CInt) -> KeyUnlocker {
    KeyUnlocker(.fileDescriptor(descriptor))
  }

  /// A credential that systemd gives to the service: a key file in `$CREDENTIALS_DIRECTORY`.
  ///
  /// See <https://systemd.io/CREDENTIALS/>.
  public static func credential(_ name: String) -> KeyUnlocker { KeyUnlocker(.credential(name)) }

  /// A key in the kernel's keyring, of the type `user` and with this description.
  ///
  /// It is looked for in the session's keyring and in the user's. For a new slot, a random key is
  /// stored in the user's keyring if there is none. The kernel forgets it when the machine stops,
  /// so that another slot is needed.
  ///
  /// See <https://man7.org/linux/man-pages/man7/keyrings.7.html>.
  public static func kernelKeyring(_ description: String) -> KeyUnlocker {
    KeyUnlocker(.kernelKeyring(description))
  }

  /// A source of one's own.
  public static func provider(_ provider: any KeyProvider) -> KeyUnlocker {
    KeyUnlocker(.provider(provider))
  }

  var kind: KeySlot.Kind {
    switch source {
    case .key(_, let kind): kind
    case .recoveryKey: .recoveryKey
    case .file: .file
    case .fileDescriptor: .fileDescriptor
    case .credential: .credential
    case .kernelKeyring: .kernelKeyring
    case .provider: .provider
    }
  }

  /// Returns the unlocker's secret.
  ///
  /// - Parameter isNew: Whether it is for a new slot, so that a missing secret may be made.
  /// - Throws: ``KeySlotsError``, ``DatabaseKeyError``, or the provider's error.
  func secret(forDatabaseAt path: String, isNew: Bool = false) throws -> SlotSecret {
    let key: DatabaseKey
    switch source {
    case .key(let given, _): key = given
    case .recoveryKey(let text): return .random(try RecoveryKey.parse(text))
    case .file(let file): key = try .file(file)
    case .fileDescriptor(let descriptor): key = try .contents(of: descriptor)
    case .credential(let name): key = try credential(name)
    case .kernelKeyring(let description):
      return .random(try KernelKeyring.key(description, makesKey: isNew))
    case .provider(let provider):
      key = try isNew ? provider.makeKey(forDatabaseAt: path) : provider.key(forDatabaseAt: path)
    }
    try key.validate()
    switch key.form {
    case .passphrase: return .passphrase(key.bytes)
    case .raw, .rawWithSalt: return .random(key.bytes)
    case .slots, .provider:
      throw KeySlotsError.unavailable(kind, reason: "it returned a reference to another key")
    }
  }

  private func credential(_ name: String) throws -> DatabaseKey {
    guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] else {
      throw KeySlotsError.unavailable(
        .credential,
        reason: "CREDENTIALS_DIRECTORY isn't set; the service needs LoadCredential= or "
          + "LoadCredentialEncrypted=")
    }
    guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
      throw KeySlotsError.unavailable(.credential, reason: "\"\(name)\" is no credential's name")
    }
    return try .file("\(folder)/\(name)")
  }
}

/// The secret of an unlocker.
enum SlotSecret: Sendable {
  /// Can be guessed, and needs a slow derivation.
  case passphrase(SecureBytes)
  /// Can't be guessed.
  case random(SecureBytes)
}

extension KeyUnlocker: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind alone, such as `KeyUnlocker(passphrase)`.
  public var description: String { "KeyUnlocker(\(kind.rawValue))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
