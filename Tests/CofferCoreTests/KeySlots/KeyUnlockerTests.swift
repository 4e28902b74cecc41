import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

struct KeyUnlockerTests {
  typealias Vault = SlottedVault

  @Test func `a descriptor is read as a key file is`() throws {
    let (vault, slots) = try Vault.made()
    let file = try vault.write(Array("a passphrase in a file\n".utf8), to: "key")
    try slots.add(
      .file(file), derivation: Vault.quick, authorizedBy: Vault.passphrase)
    let descriptor = open(file, O_RDONLY)
    defer { close(descriptor) }
    #expect(try vault.read(.fileDescriptor(descriptor)) == "kept")
    #expect(try vault.read(.passphrase("a passphrase in a file")) == "kept")
    #expect(throws: DatabaseKeyError.self) { try vault.read(.fileDescriptor(-1)) }
    // It is at its end now.
    #expect(throws: DatabaseKeyError.self) { try vault.read(.fileDescriptor(descriptor)) }
  }

  @Test func `a key file that is missing, empty or exposed is told`() throws {
    let (vault, _) = try Vault.made()
    let missing = vault.folder.path("nothing")
    #expect(throws: DatabaseKeyError.self) { try vault.read(.file(missing)) }
    let empty = try vault.write([], to: "empty")
    #expect(throws: DatabaseKeyError.emptyKeyFile(path: empty)) { try vault.read(.file(empty)) }
    let exposed = try vault.write([UInt8](200..<232), to: "exposed")
    chmod(exposed, 0o644)
    #expect(throws: DatabaseKeyError.exposedKeyFile(path: exposed)) {
      try vault.read(.file(exposed))
    }
  }

  @Test func `credentials come from the service's folder`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("vault.db")
    try Data([UInt8](200..<232)).write(to: URL(fileURLWithPath: folder.path("secret")))
    chmod(folder.path("secret"), 0o400)
    func child(_ name: String, folder credentials: String?) throws -> (CInt, String) {
      let run = try TestProcess.run(
        ["slots-credential", path, name],
        environment: credentials.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:])
      return (run.status, run.lines.joined() + run.error)
    }
    #expect(try child("secret", folder: folder.path) == (0, "opened"))
    #expect(try child("secret", folder: folder.path) == (0, "opened"))
    for name in ["", "..", "../x", "/etc/passwd", "none"] {
      #expect(try child(name, folder: folder.path).0 == 1, "\(name)")
    }
    let (status, text) = try child("secret", folder: nil)
    #expect(status == 1 && text.contains("CREDENTIALS_DIRECTORY isn't set"))
  }

  @Test func `a key of the kernel's keyring is made for a slot, and found again`() throws {
    let name = "coffer-tests-\(UUID())"
    defer { KernelKeyring.remove(name) }
    let vault = try Vault()
    let unlocker = KeyUnlocker.kernelKeyring(name)
    do {
      _ = try KeySlots.create(forDatabaseAt: vault.path, unlocker: unlocker)
    } catch KeySlotsError.unavailable(.kernelKeyring, let reason) {
      // Containers may forbid keyrings.
      #expect(!reason.isEmpty)
      return
    }
    try vault.fill(.slots(unlocker: unlocker))
    #expect(try vault.read(unlocker) == "kept")
    KernelKeyring.remove(name)
    #expect(throws: KeySlotsError.self) { try vault.read(unlocker) }
    #expect(throws: KeySlotsError.self) { try vault.read(.kernelKeyring("")) }
  }

  @Test func `a provider's error reaches the caller, and its key is asked for each time`() throws {
    struct Refusal: Error {}
    struct Refusing: KeyProvider {
      func key(forDatabaseAt path: String) throws -> DatabaseKey { throw Refusal() }
    }
    struct Circular: KeyProvider {
      func key(forDatabaseAt path: String) throws -> DatabaseKey {
        .slots(unlocker: .passphrase("x"))
      }
    }
    let (vault, _) = try Vault.made()
    #expect(throws: Refusal.self) { try vault.read(.provider(Refusing())) }
    #expect(throws: Refusal.self) { try vault.read(key: .provider(Refusing())) }
    #expect(throws: KeySlotsError.self) { try vault.read(.provider(Circular())) }
    #expect(throws: DatabaseKeyError.unresolvedKey) {
      try vault.read(key: .provider(Circular()))
    }
  }

  @Test func `a provider gives a database's own key`() throws {
    let vault = try Vault()
    let provider = CountingProvider(key: .seeded())
    #expect(throws: (any Error).self) {
      var configuration = Configuration()
      configuration.key = .provider(ThrowingProvider())
      _ = try DatabaseQueue(path: vault.path, configuration: configuration)
    }
    #expect(try vault.folder.contents().isEmpty)
    try vault.fill(.provider(provider))
    #expect(try vault.read(key: .provider(provider)) == "kept")
    #expect(provider.count == 2)
    let memory = try DatabaseQueue(path: ":memory:", key: .provider(provider))
    try memory.close()
  }

  // MARK: Derivation

  @Test func `passphrases are derived by Argon2id, or PBKDF2 without it`() throws {
    let measured = PassphraseDerivation.measured(.milliseconds(1))
    switch measured.function {
    case .argon2id(let memory, let passes): #expect(memory == 65_536 && passes >= 3)
    case .pbkdf2(let iterations): #expect(iterations >= 210_000 && Argon2.shared == nil)
    }
    let vault = try Vault()
    _ = try KeySlots.create(
      forDatabaseAt: vault.path, unlocker: Vault.passphrase, derivation: measured)
    try vault.fill(.slots(unlocker: Vault.passphrase))
    #expect(try vault.read(Vault.passphrase) == "kept")
    #expect(throws: KeySlotsError.self) { try vault.read(.passphrase("wrong")) }
  }

  @Test(.enabled(if: Argon2.shared != nil))
  func `Argon2id gives different keys for other parameters`() throws {
    let password = SecureBytes(copying: [1, 2, 3])
    let argon2 = try #require(Argon2.shared)
    let salt = [UInt8](0..<16)
    let key = try #require(argon2.derive(password, salt: salt, memory: 64, passes: 1))
    for other in [
      argon2.derive(password, salt: salt, memory: 128, passes: 1),
      argon2.derive(password, salt: salt, memory: 64, passes: 2),
      argon2.derive(password, salt: [UInt8](1..<17), memory: 64, passes: 1),
      argon2.derive(SecureBytes(copying: [1, 2]), salt: salt, memory: 64, passes: 1),
    ] {
      #expect(!key.isEqual(to: try #require(other)))
    }
  }
}

struct ThrowingProvider: KeyProvider {
  func key(forDatabaseAt path: String) throws -> DatabaseKey {
    throw KeySlotsError.unavailable(.provider, reason: "nobody is there")
  }
}
