import CofferSQLite
import FoundationEssentials

/// One way to unlock a database: a passphrase, a recovery key, or another unlocker.
///
/// It has nothing secret.
public struct KeySlot: Identifiable, Hashable, Sendable {
  /// The kind of unlocker with which a slot was made.
  ///
  /// It tells a person which one to look for. Any unlocker that gives the same secret opens the
  /// slot: a key file also by a descriptor, or as a credential.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case passphrase
    case recoveryKey = "recovery-key"
    case file
    case fileDescriptor = "file-descriptor"
    case credential
    case kernelKeyring = "kernel-keyring"
    case provider
  }

  /// The slot's number, which no other slot of the file has had.
  public let id: Int

  /// The name that a person gave it; can be empty.
  public let label: String

  /// The kind of unlocker with which the slot was made.
  public let kind: Kind

  /// When the slot was made or last changed, to the second.
  public let created: Date
}
