import CofferSQLite
import FoundationEssentials
import Glibc
import Synchronization

/// The key slots of a database: several passphrases and keys, each of which opens it.
///
/// The database is encrypted with a random data key. A file beside it, `<database>-keys`, holds
/// that key once for each slot, sealed with the slot's passphrase or key. So a passphrase is added,
/// changed or removed without rewriting the database.
///
/// ```swift
/// let slots = try KeySlots.create(
///   forDatabaseAt: "vault.db", unlocker: .passphrase("correct horse battery staple"), label: "Ada")
/// let recovery = try slots.addRecoveryKey(
///   authorizedBy: .passphrase("correct horse battery staple"))
/// print(recovery.text)  // shown once, to be written down
/// let queue = try DatabaseQueue(
///   path: "vault.db", key: .slots(unlocker: .passphrase("correct horse battery staple")))
/// ```
///
/// - Important: Without the file of the slots nothing opens the database. Back both up together.
///
/// A removed slot opens no copy of the file that is made from then on, but an older copy of `-keys`
/// still opens the database with the passphrase of that time. Where such a copy can be in wrong
/// hands, change the data key itself with ``DatabaseWriter/changeKey(to:)``.
///
/// Each change takes a derivation for each passphrase involved, whatever the database's size, and
/// writes a new file that is synced and renamed: a crash leaves the old slots or the new ones.
/// Changes by several processes wait for each other for up to five seconds.
public final class KeySlots: Sendable {
  /// The maximum number of slots.
  public static let largestCount = 64

  /// The maximum length of a label, in bytes of UTF-8.
  public static let largestLabel = 200

  /// The path of the file of the slots.
  public let path: String

  private let databasePath: String
  private let slots: Mutex<[KeySlot]>

  private init(databasePath: String, slots: [KeySlot]) {
    self.databasePath = databasePath
    path = Self.path(forDatabaseAt: databasePath)
    self.slots = Mutex(slots)
  }

  /// The slots, as of the last time that this object read or changed them.
  public var all: [KeySlot] { slots.withLock(\.self) }

  /// Returns the path of a database's slots: the path of the file itself, without symbolic links,
  /// and `-keys`.
  public static func path(forDatabaseAt path: String) -> String {
    PendingFile.resolved(path) + "-keys"
  }

  /// Whether a database has key slots, or was about to get some when its process ended.
  public static func exist(forDatabaseAt path: String) -> Bool {
    CName.isWhole(path)
      && KeySlotsChange.files(forDatabaseAt: path).contains { unsafe access($0, F_OK) == 0 }
  }

  // MARK: Creating and opening

  /// Creates the slots of a new database, with a random data key.
  ///
  /// Opening the database with ``DatabaseKey/slots(unlocker:label:)`` creates its file. For a
  /// database that exists and is encrypted, change its key to `.slots(unlocker:)`.
  /// - Parameters:
  ///   - path: The path of the database, which is missing, empty or a plaintext file.
  ///   - label: The name of the first slot.
  ///   - derivation: For a passphrase; by default measured, about 0.3 s.
  /// - Throws: ``KeySlotsError``; also if the database has slots already.
  public static func create(
    forDatabaseAt path: String, unlocker: KeyUnlocker, label: String = "",
    derivation: PassphraseDerivation? = nil
  ) throws -> KeySlots {
    try CName.check(path)
    let slotsPath = Self.path(forDatabaseAt: path)
    guard unsafe access(slotsPath, F_OK) != 0 else {
      throw KeySlotsError.alreadyExists(path: slotsPath)
    }
    switch DatabaseFile.inspect(at: path).kind {
    case .missing, .empty, .plaintext: break
    case .tooShort where DatabaseFile.size(at: path) == 1: break
    default: throw KeySlotsError.alreadyEncrypted(path: path)
    }
    let file = KeySlotsFile(databaseSalt: DerivedKey.randomSalt())
    let made = try write(
      file, dataKey: DatabaseKey.random().bytes, unlocker: unlocker, label: label,
      derivation: derivation, forDatabaseAt: path, to: slotsPath)
    return KeySlots(databasePath: path, slots: made.slots.map(\.info))
  }

  /// Writes a new file with one slot.
  @discardableResult
  static func write(
    _ file: KeySlotsFile, dataKey: SecureBytes, unlocker: KeyUnlocker, label: String,
    derivation: PassphraseDerivation?, forDatabaseAt path: String, to target: String,
    replaces: Bool = false
  ) throws -> KeySlotsFile {
    var file = file
    let secret = try unlocker.secret(forDatabaseAt: path, isNew: true)
    try add(secret, unlocker.kind, label, derivation, dataKey, to: &file)
    let pending = try PendingFile(for: target)
    try pending.write(file.bytes(authenticatedWith: dataKey))
    do {
      try pending.moveToTarget(replaces: replaces)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
      throw KeySlotsError.alreadyExists(path: target)
    }
    return file
  }

  /// Reads the slots of a database.
  ///
  /// - Throws: ``KeySlotsError``.
  public static func open(forDatabaseAt path: String) throws -> KeySlots {
    try CName.check(path)
    let file = try read(Self.path(forDatabaseAt: path), databasePath: path).file
    return KeySlots(databasePath: path, slots: file.slots.map(\.info))
  }

  /// Reads and checks the file.
  ///
  /// - Parameter databasePath: The database, which must have the file's salt; nil if its own salt
  ///   may be lost.
  static func read(
    _ path: String, databasePath: String?
  ) throws(KeySlotsError) -> (file: KeySlotsFile, isIntact: Bool) {
    guard unsafe access(path, F_OK) == 0 else { throw .missing(path: path) }
    let bytes: [UInt8]
    do {
      let source = try ReadOnlyFile(path: path)
      guard try source.size() <= KeySlotsFile.largestSize else {
        throw KeySlotsError.damaged(path: path)
      }
      bytes = try source.read(count: source.size(), at: 0)
    } catch let error as ReadOnlyFileError {
      throw .unreadable(path: path, reason: error.reason)
    } catch {
      throw .damaged(path: path)
    }
    let (file, isIntact) = try KeySlotsFile.parse(bytes, path: path)
    // A damaged salt is damage, not another database.
    if let databasePath, let salt = try? FileKey.salt(of: databasePath), salt != file.databaseSalt,
      case .encryptedOrUnknown = DatabaseFile.inspect(at: databasePath).kind
    {
      throw isIntact ? .otherDatabase(path: path) : .damaged(path: path)
    }
    return (file, isIntact)
  }

  /// A file of slots, and what a secret opened in it.
  struct Unlocked {
    var file: KeySlotsFile
    let slot: KeySlot
    let key: SecureBytes
    /// Whether all bytes of the file are right; where they aren't, the key is right still.
    let isAuthentic: Bool

    /// The database's key.
    var databaseKey: DatabaseKey {
      DatabaseKey(form: .rawWithSalt(file.databaseSalt), bytes: key)
    }
  }

  /// Reads the file, and opens it with a secret.
  static func unlock(
    _ path: String, databasePath: String?, _ secret: SlotSecret
  ) throws -> Unlocked {
    let (file, isIntact) = try read(path, databasePath: databasePath)
    guard let (slot, key) = try file.open(with: secret) else {
      throw isIntact ? KeySlotsError.noSlot(path: path) : KeySlotsError.damaged(path: path)
    }
    return Unlocked(
      file: file, slot: slot, key: key, isAuthentic: isIntact && file.isAuthentic(key))
  }

  /// Reads the file, opens it, and throws if a byte of it is wrong.
  private func unlocked(by secret: SlotSecret) throws -> Unlocked {
    let unlocked = try Self.unlock(path, databasePath: databasePath, secret)
    guard unlocked.isAuthentic else { throw KeySlotsError.damaged(path: path) }
    return unlocked
  }

  /// Returns the database's data key, which opens it without the slots, and in other programs.
  ///
  /// Whoever has it opens the database until its key is changed with
  /// ``DatabaseWriter/changeKey(to:)``.
  /// - Throws: ``KeySlotsError``.
  public func dataKey(authorizedBy authorization: KeyUnlocker) throws -> DatabaseKey {
    try unlocked(by: authorization.secret(forDatabaseAt: databasePath)).databaseKey
  }

  // MARK: Changing

  /// Adds a slot.
  ///
  /// - Parameters:
  ///   - unlocker: What opens the new slot.
  ///   - label: The slot's name.
  ///   - derivation: For a passphrase; by default that of the other passphrases, or a measured one.
  ///   - authorization: What opens one of the slots already.
  /// - Throws: ``KeySlotsError``, with nothing changed.
  @discardableResult
  public func add(
    _ unlocker: KeyUnlocker, label: String = "", derivation: PassphraseDerivation? = nil,
    authorizedBy authorization: KeyUnlocker
  ) throws -> KeySlot {
    try change(authorizedBy: authorization) { file, _, dataKey in
      let secret = try unlocker.secret(forDatabaseAt: databasePath, isNew: true)
      return try Self.add(secret, unlocker.kind, label, derivation, dataKey, to: &file)
    }
  }

  /// Adds a slot for a new recovery key, and returns the key to be shown once.
  ///
  /// - Throws: ``KeySlotsError``, with nothing changed.
  public func addRecoveryKey(
    label: String = "", authorizedBy authorization: KeyUnlocker
  ) throws -> RecoveryKey {
    let key = RecoveryKey()
    try change(authorizedBy: authorization) { file, _, dataKey in
      _ = try Self.add(.random(key.bytes), .recoveryKey, label, nil, dataKey, to: &file)
    }
    return key
  }

  /// Replaces what opens a slot, which keeps its number and its label.
  ///
  /// With passphrases, this takes two derivations.
  /// - Parameters:
  ///   - id: The slot's number; nil for the slot that the authorization opens.
  ///   - authorization: What opens this slot or another one.
  /// - Throws: ``KeySlotsError``, with nothing changed.
  @discardableResult
  public func change(
    _ id: KeySlot.ID?, to unlocker: KeyUnlocker, derivation: PassphraseDerivation? = nil,
    authorizedBy authorization: KeyUnlocker
  ) throws -> KeySlot {
    try change(authorizedBy: authorization) { file, opened, dataKey in
      let index = try Self.index(of: id ?? opened.id, in: file)
      let secret = try unlocker.secret(forDatabaseAt: databasePath, isNew: true)
      let info = KeySlot(
        id: id ?? opened.id, label: file.slots[index].info.label, kind: unlocker.kind,
        created: Self.now)
      file.slots[index] = try file.seal(dataKey, for: secret, info: info, derivation)
      return info
    }
  }

  /// Replaces what opens a slot, which keeps its number and its label.
  @discardableResult
  public func change(
    _ slot: KeySlot, to unlocker: KeyUnlocker, derivation: PassphraseDerivation? = nil,
    authorizedBy authorization: KeyUnlocker
  ) throws -> KeySlot {
    try change(slot.id, to: unlocker, derivation: derivation, authorizedBy: authorization)
  }

  /// Removes a slot, which is never the last one.
  ///
  /// - Parameter authorization: What opens this slot or another one.
  /// - Throws: ``KeySlotsError``, with nothing changed.
  public func remove(_ id: KeySlot.ID, authorizedBy authorization: KeyUnlocker) throws {
    try change(authorizedBy: authorization) { file, _, _ in
      let index = try Self.index(of: id, in: file)
      guard file.slots.count > 1 else { throw KeySlotsError.lastSlot }
      file.slots.remove(at: index)
    }
  }

  /// Removes a slot, which is never the last one.
  public func remove(_ slot: KeySlot, authorizedBy authorization: KeyUnlocker) throws {
    try remove(slot.id, authorizedBy: authorization)
  }

  /// Checks the file of the slots: all of its bytes if an unlocker is given, without one for
  /// accidental damage.
  ///
  /// - Throws: ``KeySlotsError``.
  public func verify(authorizedBy authorization: KeyUnlocker? = nil) throws {
    guard let authorization else {
      let (file, isIntact) = try Self.read(path, databasePath: databasePath)
      guard isIntact else { throw KeySlotsError.damaged(path: path) }
      return slots.withLock { $0 = file.slots.map(\.info) }
    }
    let file = try unlocked(by: authorization.secret(forDatabaseAt: databasePath)).file
    slots.withLock { $0 = file.slots.map(\.info) }
  }

  // MARK: Details

  /// Changes the file, under a lock that other processes respect.
  private func change<Result>(
    authorizedBy authorization: KeyUnlocker,
    _ body: (inout KeySlotsFile, _ opened: KeySlot, _ dataKey: SecureBytes) throws -> Result
  ) throws -> Result {
    // Before the lock, since a provider may ask a person.
    let secret = try authorization.secret(forDatabaseAt: databasePath)
    let pending = try PendingFile.waiting(for: path)
    let unlocked = try unlocked(by: secret)
    var file = unlocked.file
    let result = try body(&file, unlocked.slot, unlocked.key)
    file.generation += 1
    try pending.write(file.bytes(authenticatedWith: unlocked.key))
    try pending.takePermissions(from: path)
    try pending.moveToTarget(replaces: true) {
      slots.withLock { $0 = file.slots.map(\.info) }
    }
    return result
  }

  @discardableResult
  private static func add(
    _ secret: SlotSecret, _ kind: KeySlot.Kind, _ label: String,
    _ derivation: PassphraseDerivation?, _ dataKey: SecureBytes, to file: inout KeySlotsFile
  ) throws -> KeySlot {
    guard label.utf8.count <= largestLabel else { throw KeySlotsError.longLabel }
    guard file.slots.count < largestCount else { throw KeySlotsError.tooManySlots }
    let info = KeySlot(id: file.nextID, label: label, kind: kind, created: now)
    file.slots.append(try file.seal(dataKey, for: secret, info: info, derivation))
    file.nextID += 1
    return info
  }

  private static func index(of id: Int, in file: KeySlotsFile) throws(KeySlotsError) -> Int {
    guard let index = file.slots.firstIndex(where: { $0.info.id == id }) else {
      throw .unknownSlot(id: id)
    }
    return index
  }

  /// The time to the second, which is what the file holds.
  private static var now: Date {
    Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
  }
}
