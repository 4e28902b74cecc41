import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

/// A folder with a database that has key slots.
struct SlottedVault {
  let folder: TemporaryDirectory
  var path: String { folder.path("vault.db") }
  var slotsPath: String { path + "-keys" }

  /// The derivation of the tests that aren't about its cost.
  static let quick = PassphraseDerivation.pbkdf2(iterations: 1000)
  static let passphrase = KeyUnlocker.passphrase("first")

  init() throws { folder = try TemporaryDirectory() }

  /// Makes the slots, and a database with one row.
  static func made(_ unlocker: KeyUnlocker = passphrase) throws -> (SlottedVault, KeySlots) {
    let vault = try SlottedVault()
    let slots = try KeySlots.create(
      forDatabaseAt: vault.path, unlocker: unlocker, label: "Ada", derivation: quick)
    try vault.fill(.slots(unlocker: unlocker))
    return (vault, slots)
  }

  func fill(_ key: DatabaseKey?) throws {
    var configuration = Configuration()
    configuration.key = key
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write {
      try $0.execute(sql: "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('kept')")
    }
    try queue.close()
  }

  func read(key: DatabaseKey) throws -> String? {
    let queue = try DatabaseQueue(path: path, key: key)
    defer { try? queue.close() }
    return try queue.read { try String.fetchOne($0, sql: "SELECT a FROM t") }
  }

  func read(_ unlocker: KeyUnlocker) throws -> String? { try read(key: .slots(unlocker: unlocker)) }

  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let path = folder.path(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return path
  }

  func bytes(of path: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// The data key.
  func dataKey(_ unlocker: KeyUnlocker = passphrase) throws -> DatabaseKey {
    try DatabaseKey.slots(unlocker: unlocker).resolved(forDatabaseAt: path, settings: .default)
  }
}

struct KeySlotsTests {
  typealias Vault = SlottedVault

  // MARK: Opening

  @Test func `a database with slots opens with each unlocker, and with nothing else`() throws {
    let (vault, slots) = try Vault.made()
    let file = try vault.write([UInt8](100..<132), to: "key")
    let recovery = try slots.addRecoveryKey(label: "safe", authorizedBy: Vault.passphrase)
    try slots.add(.file(file), label: "service", authorizedBy: .recoveryKey(recovery.text))
    try slots.add(.passphrase("second"), authorizedBy: .file(file))
    let unlockers: [KeyUnlocker] = [
      Vault.passphrase, .passphrase("second"), .file(file), .recoveryKey(recovery.text),
      .recoveryKey(recovery.text.lowercased()), .passphrase(bytes: Array("first".utf8)),
    ]
    for unlocker in unlockers { #expect(try vault.read(unlocker) == "kept") }
    for unlocker in [KeyUnlocker.passphrase("other"), .recoveryKey(RecoveryKey().text)] {
      #expect(throws: KeySlotsError.noSlot(path: vault.slotsPath)) { try vault.read(unlocker) }
    }
    #expect(slots.all.map(\.id) == [1, 2, 3, 4])
    #expect(slots.all.map(\.label) == ["Ada", "safe", "service", ""])
    #expect(slots.all.map(\.kind) == [.passphrase, .recoveryKey, .file, .passphrase])
    #expect(slots.all.allSatisfy { abs($0.created.timeIntervalSinceNow) < 600 })
    #expect(try KeySlots.open(forDatabaseAt: vault.path).all == slots.all)
    try slots.verify()
    try slots.verify(authorizedBy: .passphrase("second"))
  }

  @Test func `a pool, its readers and a reopened queue unlock once each`() throws {
    let (vault, _) = try Vault.made()
    let provider = CountingProvider(key: .passphrase("first"))
    var configuration = Configuration()
    configuration.key = .slots(unlocker: .provider(provider))
    let pool = try DatabasePool(path: vault.path, configuration: configuration)
    try pool.write { try $0.execute(sql: "INSERT INTO t VALUES ('more')") }
    let threads = DispatchGroup()
    for _ in 0..<4 {
      detachThread(group: threads) {
        let count = try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
        #expect(count == 2)
      }
    }
    threads.wait()
    let snapshot = try pool.makeSnapshot()
    #expect(try snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 2)
    #expect(provider.count == 1)
    try pool.close()
    let queue = try DatabaseQueue(path: vault.path, configuration: configuration)
    try queue.close()
    #expect(provider.count == 2)
  }

  @Test func `a lost file of slots is named, and no database is made`() throws {
    let vault = try Vault()
    let missing = KeySlotsError.missing(path: vault.slotsPath)
    #expect(throws: missing) { try vault.read(Vault.passphrase) }
    #expect(throws: missing) { try KeySlots.open(forDatabaseAt: vault.path) }
    var configuration = Configuration()
    configuration.key = .slots(unlocker: Vault.passphrase)
    #expect(throws: missing) { try DatabasePool(path: vault.path, configuration: configuration) }
    #expect(try vault.folder.contents().isEmpty)

    let (full, _) = try Vault.made()
    let size = DatabaseFile.size(at: full.path)
    try FileManager.default.removeItem(atPath: full.slotsPath)
    #expect(throws: KeySlotsError.missing(path: full.slotsPath)) { try full.read(Vault.passphrase) }
    #expect(DatabaseFile.size(at: full.path) == size)
  }

  @Test func `slots of another database are told apart`() throws {
    let (vault, _) = try Vault.made()
    let (other, _) = try Vault.made()
    try FileManager.default.removeItem(atPath: vault.slotsPath)
    try FileManager.default.copyItem(atPath: other.slotsPath, toPath: vault.slotsPath)
    #expect(throws: KeySlotsError.otherDatabase(path: vault.slotsPath)) {
      try vault.read(Vault.passphrase)
    }
    #expect(throws: KeySlotsError.otherDatabase(path: vault.slotsPath)) {
      try KeySlots.open(forDatabaseAt: vault.path)
    }
  }

  @Test func `slots are made for a new, an empty or a plaintext file alone`() throws {
    let (vault, _) = try Vault.made()
    #expect(throws: KeySlotsError.alreadyExists(path: vault.slotsPath)) {
      try KeySlots.create(forDatabaseAt: vault.path, unlocker: .passphrase("x"))
    }
    let encrypted = try Vault()
    try encrypted.fill(.seeded())
    #expect(throws: KeySlotsError.alreadyEncrypted(path: encrypted.path)) {
      try KeySlots.create(forDatabaseAt: encrypted.path, unlocker: .passphrase("x"))
    }
    #expect(try encrypted.folder.contents() == ["vault.db"])
    let plain = try Vault()
    try plain.fill(nil)
    _ = try KeySlots.create(
      forDatabaseAt: plain.path, unlocker: Vault.passphrase, derivation: Vault.quick)
    try DatabaseFile.encrypt(
      at: plain.path, to: plain.path, key: .slots(unlocker: Vault.passphrase))
    #expect(try plain.read(Vault.passphrase) == "kept")
    let empty = try Vault()
    _ = try empty.write([], to: "vault.db")
    _ = try KeySlots.create(
      forDatabaseAt: empty.path, unlocker: Vault.passphrase, derivation: Vault.quick)
    try empty.fill(.slots(unlocker: Vault.passphrase))
    #expect(try empty.read(Vault.passphrase) == "kept")
  }

  @Test func `a link to the database leads to its slots`() throws {
    let (vault, _) = try Vault.made()
    let link = vault.folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "vault.db")
    let queue = try DatabaseQueue(path: link, key: .slots(unlocker: Vault.passphrase))
    try queue.close()
    #expect(try KeySlots.open(forDatabaseAt: link).path == vault.slotsPath)
  }

  // MARK: Changing

  @Test func `a changed passphrase leaves the database alone`() throws {
    let (vault, slots) = try Vault.made()
    let (database, before) = (try vault.bytes(of: vault.path), try vault.bytes(of: vault.slotsPath))
    let changed = try slots.change(
      1, to: .passphrase("new"), authorizedBy: Vault.passphrase)
    #expect(changed.id == 1 && changed.label == "Ada")
    #expect(try vault.read(.passphrase("new")) == "kept")
    #expect(throws: KeySlotsError.noSlot(path: vault.slotsPath)) {
      try vault.read(Vault.passphrase)
    }
    #expect(try vault.bytes(of: vault.path) == database)
    // What can't be helped: the old slots still open the file.
    try Data(before).write(to: URL(fileURLWithPath: vault.slotsPath))
    #expect(try vault.read(Vault.passphrase) == "kept")
  }

  @Test func `a changed passphrase takes two derivations`() throws {
    let (vault, slots) = try Vault.made()
    for number in 0..<5 {
      try slots.add(.passphrase("more \(number)"), authorizedBy: Vault.passphrase)
    }
    let file = try KeySlots.read(vault.slotsPath, databasePath: vault.path).file
    // One salt, so that a derivation tries all slots.
    #expect(Set(file.slots.map(\.salt)).count == 1)
    #expect(Set(file.slots.map(\.nonce)).count == 6)
    #expect(Set(file.slots.map(\.sealed)).count == 6)
  }

  @Test func `a removed slot opens nothing, and the last one stays`() throws {
    let (vault, slots) = try Vault.made()
    let second = try slots.add(.passphrase("second"), authorizedBy: Vault.passphrase)
    try slots.remove(1, authorizedBy: .passphrase("second"))
    #expect(throws: KeySlotsError.noSlot(path: vault.slotsPath)) {
      try vault.read(Vault.passphrase)
    }
    #expect(throws: KeySlotsError.lastSlot) {
      try slots.remove(second, authorizedBy: .passphrase("second"))
    }
    #expect(throws: KeySlotsError.unknownSlot(id: 1)) {
      try slots.remove(1, authorizedBy: .passphrase("second"))
    }
    #expect(try vault.read(.passphrase("second")) == "kept")
    // A number isn't used again.
    #expect(try slots.add(.passphrase("third"), authorizedBy: .passphrase("second")).id == 3)
  }

  @Test func `what isn't authorized changes nothing`() throws {
    let (vault, slots) = try Vault.made()
    let before = try vault.bytes(of: vault.slotsPath)
    let wrong = KeyUnlocker.passphrase("wrong")
    let noSlot = KeySlotsError.noSlot(path: vault.slotsPath)
    #expect(throws: noSlot) { try slots.add(.passphrase("x"), authorizedBy: wrong) }
    #expect(throws: noSlot) { try slots.addRecoveryKey(authorizedBy: wrong) }
    #expect(throws: noSlot) { try slots.change(1, to: .passphrase("x"), authorizedBy: wrong) }
    #expect(throws: noSlot) { try slots.remove(1, authorizedBy: wrong) }
    #expect(throws: noSlot) { try slots.verify(authorizedBy: wrong) }
    #expect(throws: DatabaseKeyError.emptyPassphrase) {
      try slots.add(.passphrase(""), authorizedBy: Vault.passphrase)
    }
    #expect(throws: KeySlotsError.longLabel) {
      try slots.add(
        .passphrase("x"), label: String(repeating: "é", count: 101), authorizedBy: Vault.passphrase)
    }
    #expect(throws: KeySlotsError.unknownSlot(id: 7)) {
      try slots.change(7, to: .passphrase("x"), authorizedBy: Vault.passphrase)
    }
    #expect(try vault.bytes(of: vault.slotsPath) == before)
    #expect(try vault.folder.contents() == ["vault.db", "vault.db-keys"])
  }

  @Test func `there is room for 64 slots`() throws {
    let (vault, slots) = try Vault.made(.provider(FixedProvider(byte: 1)))
    for number in 2...64 {
      try slots.add(
        .provider(FixedProvider(byte: UInt8(number))),
        label: String(repeating: "x", count: KeySlots.largestLabel),
        authorizedBy: .provider(FixedProvider(byte: 1)))
    }
    #expect(throws: KeySlotsError.tooManySlots) {
      try slots.addRecoveryKey(authorizedBy: .provider(FixedProvider(byte: 64)))
    }
    #expect(slots.all.count == 64)
    try slots.verify(authorizedBy: .provider(FixedProvider(byte: 30)))
    #expect(try vault.read(.provider(FixedProvider(byte: 64))) == "kept")
  }

  @Test func `changes from several threads all arrive`() throws {
    let (vault, slots) = try Vault.made(.provider(FixedProvider(byte: 0)))
    let threads = DispatchGroup()
    for number in 0..<8 {
      detachThread(group: threads) {
        let mine = try KeySlots.open(forDatabaseAt: vault.path)
        for step in 0..<3 {
          try mine.add(
            .provider(FixedProvider(byte: UInt8(100 + 10 * number + step))),
            authorizedBy: .provider(FixedProvider(byte: 0)))
        }
      }
    }
    threads.wait()
    try slots.verify()
    #expect(slots.all.count == 25)
    #expect(Set(slots.all.map(\.id)).count == 25)
  }

  @Test func `the file keeps its permissions`() throws {
    let (vault, slots) = try Vault.made()
    func mode() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: vault.slotsPath)[.posixPermissions] as? Int
    }
    #expect(try mode() == 0o600)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: vault.slotsPath)
    try slots.add(.passphrase("x"), authorizedBy: Vault.passphrase)
    #expect(try mode() == 0o640)
  }

  // MARK: The data key

  @Test(arguments: [false, true])
  func `an existing file gets slots, and loses them`(wal: Bool) throws {
    let vault = try Vault()
    let old = DatabaseKey.seeded()
    try vault.fill(old)
    var configuration = Configuration()
    configuration.key = old
    if wal { configuration.journalMode = .wal }
    let queue = try DatabaseQueue(path: vault.path, configuration: configuration)
    try queue.changeKey(to: .slots(unlocker: Vault.passphrase, label: "Ada"))
    try queue.write { try $0.execute(sql: "INSERT INTO t VALUES ('later')") }
    #expect(try KeySlots.open(forDatabaseAt: vault.path).all.map(\.label) == ["Ada"])
    #expect(throws: DatabaseError.self) { try vault.read(key: old) }
    #expect(try vault.read(Vault.passphrase) == "kept")
    try queue.close()
    #expect(try vault.folder.contents() == ["vault.db", "vault.db-keys"])

    let slotted = try DatabaseQueue(path: vault.path, key: .slots(unlocker: Vault.passphrase))
    try slotted.changeKey(to: old)
    try slotted.close()
    #expect(try vault.folder.contents() == ["vault.db"])
    #expect(try vault.read(key: old) == "kept")
  }

  @Test func `a new data key makes old slots worthless`() throws {
    let (vault, slots) = try Vault.made()
    try slots.add(.passphrase("second"), authorizedBy: Vault.passphrase)
    let stolen = try vault.bytes(of: vault.slotsPath)
    let pool = try DatabasePool(path: vault.path, key: .slots(unlocker: Vault.passphrase))
    try pool.changeKey(to: .slots(unlocker: .passphrase("new"), label: "Ada"))
    #expect(try pool.read { try String.fetchOne($0, sql: "SELECT a FROM t") } == "kept")
    try pool.close()
    #expect(try KeySlots.open(forDatabaseAt: vault.path).all.count == 1)
    #expect(try vault.read(.passphrase("new")) == "kept")
    try Data(stolen).write(to: URL(fileURLWithPath: vault.slotsPath))
    #expect(throws: DatabaseError.self) { try vault.read(Vault.passphrase) }
  }

  @Test func `an interrupted change of the key is finished or undone at the next opening`() throws {
    // Killed before the key was changed.
    let (vault, _) = try Vault.made()
    let next = vault.slotsPath + "-next"
    let old = try vault.dataKey()
    let salt = try #require(try FileKey.salt(of: vault.path))
    let change = try KeySlotsChange(
      forDatabaseAt: vault.path, salt: salt, currentKey: old.bytes,
      unlocker: .passphrase("new"), label: "")
    #expect(try vault.read(Vault.passphrase) == "kept")
    #expect(throws: KeySlotsError.noSlot(path: vault.slotsPath)) {
      try vault.read(.passphrase("new"))
    }
    // Killed after it.
    let queue = try DatabaseQueue(path: vault.path, key: old)
    try queue.changeKey(to: change.key)
    try queue.close()
    #expect(access(next, F_OK) == 0)
    #expect(try vault.read(.passphrase("new")) == "kept")
    #expect(access(next, F_OK) != 0)
    #expect(throws: KeySlotsError.noSlot(path: vault.slotsPath)) {
      try vault.read(Vault.passphrase)
    }

    // A file that was about to get its first slots.
    let plain = try Vault()
    let key = DatabaseKey.seeded()
    try plain.fill(key)
    _ = try KeySlotsChange(
      forDatabaseAt: plain.path, salt: #require(try FileKey.salt(of: plain.path)), currentKey: nil,
      unlocker: Vault.passphrase, label: "")
    #expect(throws: KeySlotsError.interrupted(path: plain.slotsPath)) {
      try plain.read(Vault.passphrase)
    }
    let again = try DatabaseQueue(path: plain.path, key: key)
    try again.changeKey(to: .slots(unlocker: Vault.passphrase))
    try again.close()
    #expect(try plain.read(Vault.passphrase) == "kept")
  }

  @Test func `slots of an interrupted change that can't be read aren't written over`() throws {
    let (vault, _) = try Vault.made()
    let next = vault.slotsPath + "-next"
    let queue = try DatabaseQueue(path: vault.path, key: .slots(unlocker: Vault.passphrase))
    // Nobody can read a directory's bytes, not even root.
    try FileManager.default.createDirectory(atPath: next, withIntermediateDirectories: false)
    let error = databaseError {
      try queue.changeKey(to: .slots(unlocker: .passphrase("new")))
    }
    #expect(error?.resultCode == .SQLITE_IOERR)
    #expect("\(error as Any)".contains(next))
    #expect(try queue.read { try String.fetchOne($0, sql: "SELECT a FROM t") } == "kept")
    try queue.close()
    #expect(try vault.read(Vault.passphrase) == "kept")
    rmdir(next)
    let again = try DatabaseQueue(path: vault.path, key: .slots(unlocker: Vault.passphrase))
    try again.changeKey(to: .slots(unlocker: .passphrase("new")))
    try again.close()
    #expect(try vault.read(.passphrase("new")) == "kept")
  }

  @Test func `a refused change of the key leaves the slots`() throws {
    let (vault, _) = try Vault.made()
    let before = try vault.bytes(of: vault.slotsPath)
    // With WAL, an open reader prevents nothing.
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    configuration.journalMode = .delete
    let queue = try DatabaseQueue(
      path: vault.path, key: .slots(unlocker: Vault.passphrase), configuration: configuration)
    #expect(throws: (any Error).self) {
      try queue.changeKey(to: .slots(unlocker: .file(vault.folder.path("nothing"))))
    }
    let reader = try DatabaseQueue(path: vault.path, key: .slots(unlocker: Vault.passphrase))
    try reader.inDatabase { db in
      try db.execute(sql: "BEGIN; SELECT * FROM t")
      #expect(throws: DatabaseError.self) {
        try queue.changeKey(to: .slots(unlocker: .passphrase("new")))
      }
      try db.execute(sql: "COMMIT")
    }
    try queue.close()
    try reader.close()
    #expect(try vault.bytes(of: vault.slotsPath) == before)
    #expect(try vault.folder.contents() == ["vault.db", "vault.db-keys"])
  }

  @Test func `the data key alone opens the file, as in other programs`() throws {
    let (vault, _) = try Vault.made()
    let bytes = try #require(vault.dataKey().withUnsafeRawKey { unsafe Array($0) })
    #expect(bytes.count == 32)
    #expect(try vault.read(key: .raw(bytes)) == "kept")
    #expect(!(try vault.bytes(of: vault.slotsPath).contains(bytes)))
  }

  // MARK: Copies

  @Test func `a backup takes the slots along`() throws {
    let (vault, _) = try Vault.made()
    let queue = try DatabaseQueue(path: vault.path, key: .slots(unlocker: Vault.passphrase))
    let copy = vault.folder.path("copy.db")
    try queue.backup(toPath: copy)
    let foreign = vault.folder.path("foreign.db")
    try queue.backup(toPath: foreign, key: .seeded())
    try queue.close()
    let opened = try DatabaseQueue(path: copy, key: .slots(unlocker: Vault.passphrase))
    #expect(try opened.read { try String.fetchOne($0, sql: "SELECT a FROM t") } == "kept")
    try opened.close()
    #expect(
      try vault.folder.contents() == [
        "copy.db", "copy.db-keys", "foreign.db", "vault.db", "vault.db-keys",
      ])
  }

  @Test func `a conversion keeps the slots, and takes them along`() throws {
    let (vault, _) = try Vault.made()
    var settings = CipherSettings.default
    settings.pageSize = 8192
    let key = DatabaseKey.slots(unlocker: Vault.passphrase)
    let copy = vault.folder.path("copy.db")
    try DatabaseFile.convert(
      at: vault.path, key: key, from: .default, to: settings, newPath: copy)
    try DatabaseFile.convert(at: vault.path, key: key, from: .default, to: settings)
    var configuration = Configuration()
    configuration.cipher = settings
    configuration.key = key
    for path in [vault.path, copy] {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      #expect(try queue.read { try String.fetchOne($0, sql: "SELECT a FROM t") } == "kept")
      try queue.close()
    }
  }

  @Test func `a database that lost its beginning is salvaged by its slots`() throws {
    let (vault, _) = try Vault.made()
    let path = URL(fileURLWithPath: vault.path)
    var bytes = try vault.bytes(of: vault.path)
    let pageSize = CipherSettings.default.pageSize
    bytes.replaceSubrange(0..<pageSize, with: [UInt8](repeating: 0xA5, count: pageSize))
    try Data(bytes).write(to: path)
    let saved = vault.folder.path("saved.db")
    let key = DatabaseKey.slots(unlocker: Vault.passphrase)
    // What is said depends on what the beginning looks like now.
    #expect(throws: (any Error).self) { try vault.read(Vault.passphrase) }
    let report = try DatabaseFile.salvage(at: vault.path, key: key, to: saved)
    #expect(!report.isComplete)
    // The schema was in the first page.
    let queue = try DatabaseQueue(path: saved, key: key)
    let row = try queue.read { try Row.fetchOne($0, sql: "SELECT * FROM lost_and_found") }
    #expect(row.map { Array($0.databaseValues).contains("kept".databaseValue) } == true)
    try queue.close()
  }

  @Test func `an attached database has its own slots`() throws {
    let (vault, _) = try Vault.made()
    let (other, _) = try Vault.made(.passphrase("other"))
    let queue = try DatabaseQueue(path: vault.path, key: .slots(unlocker: Vault.passphrase))
    try queue.inDatabase { db in
      try db.attach(other.path, as: "other", key: .slots(unlocker: .passphrase("other")))
      #expect(try String.fetchOne(db, sql: "SELECT a FROM other.t") == "kept")
    }
    try queue.close()
  }

  // MARK: Secrets

  @Test func `no error and no description shows a secret`() throws {
    let (vault, slots) = try Vault.made(.passphrase("marker-1234"))
    let unlocker = KeyUnlocker.passphrase("marker-5678")
    let key = DatabaseKey.slots(unlocker: unlocker)
    var texts = ["\(unlocker)", String(reflecting: unlocker), "\(key)", "\(slots.all)"]
    for value in [unlocker, key, slots] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      texts.append(dumped)
    }
    do { _ = try vault.read(unlocker) } catch {
      texts.append("\(error) \(error.localizedDescription)")
    }
    for text in texts { #expect(!text.contains("marker-"), "\(text)") }
    for name in try vault.folder.contents() {
      let bytes = try vault.bytes(of: vault.folder.path(name))
      #expect(!bytes.contains(Array("marker-".utf8)), "\(name)")
    }
  }
}

struct FixedProvider: KeyProvider {
  let byte: UInt8

  func key(forDatabaseAt path: String) throws -> DatabaseKey {
    try .raw([UInt8](repeating: byte, count: 32))
  }
}

final class CountingProvider: KeyProvider {
  private let made: DatabaseKey
  private let counter = Locked(0)

  init(key: DatabaseKey) { made = key }

  var count: Int { counter.value }

  func key(forDatabaseAt path: String) throws -> DatabaseKey {
    counter.increment()
    return made
  }
}

extension [UInt8] {
  /// Whether the bytes are somewhere in these.
  func contains(_ part: [UInt8]) -> Bool {
    Data(self).range(of: Data(part)) != nil
  }
}
