import CofferSQLite
import FoundationEssentials

/// The reason why a database's key slots can't be used. No message contains any byte of a key.
public enum KeySlotsError: Error, Hashable, Sendable {
  /// The file of the slots is missing.
  case missing(path: String)
  /// The file of the slots can't be read.
  case unreadable(path: String, reason: String)
  /// The file of the slots isn't one, or has been changed or cut.
  case damaged(path: String)
  /// The file of the slots is of another database.
  case otherDatabase(path: String)
  /// The file of the slots has a format that this version of Coffer doesn't know.
  case unknownVersion(path: String, version: Int)
  /// No slot opens with this unlocker.
  case noSlot(path: String)
  /// The database has slots already.
  case alreadyExists(path: String)
  /// The database is encrypted with a key that is in no slot.
  case alreadyEncrypted(path: String)
  /// The database was about to get key slots, and has its old key still.
  case interrupted(path: String)
  /// The only slot can't be removed.
  case lastSlot
  /// There is no slot with this number.
  case unknownSlot(id: Int)
  /// There is no room for another slot.
  case tooManySlots
  /// The label has more than 200 bytes.
  case longLabel
  /// A group of a recovery key, numbered from 1, is mistyped.
  case mistypedRecoveryKey(group: Int)
  /// A recovery key doesn't have the right number of groups or characters.
  case incompleteRecoveryKey
  /// The library that derives keys from passphrases is missing.
  case unavailableDerivation(String)
  /// The unlocker gives no secret.
  case unavailable(KeySlot.Kind, reason: String)
}

extension KeySlotsError: CustomStringConvertible, LocalizedError {
  /// A description of the problem and its remedy.
  public var description: String {
    switch self {
    case .missing(let path):
      "The key slots of the database are missing: there is no file \(path). Without it no "
        + "unlocker opens the database; restore it from a backup. The data key itself, if it was "
        + "exported, opens the database without it."
    case .unreadable(let path, let reason):
      "The key slots in \(path) can't be read: \(reason)."
    case .damaged(let path):
      "The key slots in \(path) are damaged: the file was changed or cut. Restore it from a backup; "
        + "a recovery key can't replace it."
    case .otherDatabase(let path):
      "The key slots in \(path) are of another database. Each database has its own: check that "
        + "both files were copied together."
    case .unknownVersion(let path, let version):
      "The key slots in \(path) have the format \(version), which this version of Coffer doesn't "
        + "know. Use a newer one."
    case .noSlot(let path):
      "No key slot in \(path) opens with this: the passphrase or key is wrong, or its slot was "
        + "removed."
    case .alreadyExists(let path):
      "The database has key slots already, in \(path). Add to them with KeySlots.open and add. If "
        + "the database that they were made for is gone for good, delete the file."
    case .alreadyEncrypted(let path):
      "\(path) is encrypted with a key that is in no slot. Open it with that key, and call "
        + "changeKey(to: .slots(unlocker:))."
    case .interrupted(let path):
      "The key slots in \(path) aren't in use: the change of the key was interrupted. Open the database "
        + "with its old key, and change it again."
    case .lastSlot:
      "The last key slot can't be removed: nothing would open the database. Add another one first, "
        + "or change this one."
    case .unknownSlot(let id):
      "There is no key slot \(id)."
    case .tooManySlots:
      "There are \(KeySlots.largestCount) key slots, which is the maximum. Remove one first."
    case .longLabel:
      "The label of a key slot has more than \(KeySlots.largestLabel) bytes."
    case .mistypedRecoveryKey(let group):
      "Group \(group) of the recovery key is mistyped."
    case .incompleteRecoveryKey:
      "A recovery key has \(RecoveryKey.groupCount) groups of \(RecoveryKey.groupSize) letters and "
        + "digits. Some are missing, or too many."
    case .unavailableDerivation(let name):
      "The slot's passphrase needs \(name), which is missing here. Install libargon2-1, or "
        + "OpenSSL 3.2 or later."
    case .unavailable(let kind, let reason):
      "The unlocker (\(kind.rawValue)) gives no key: \(reason)."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
