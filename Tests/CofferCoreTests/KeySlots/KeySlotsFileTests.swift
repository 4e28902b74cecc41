import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// The bytes of the file, and what is done to them.
struct KeySlotsFileTests {
  typealias Vault = SlottedVault

  /// A file with each kind of derivation; the third slot's secret can't be guessed.
  private func made() throws -> (vault: Vault, slots: KeySlots, bytes: [UInt8]) {
    let (vault, slots) = try Vault.made()
    try slots.add(
      .passphrase("second"), label: "zwei ✓", derivation: .pbkdf2(iterations: 1001),
      authorizedBy: Vault.passphrase)
    try slots.add(.provider(FixedProvider(byte: 9)), authorizedBy: Vault.passphrase)
    return (vault, slots, try vault.bytes(of: vault.slotsPath))
  }

  private func replace(_ bytes: [UInt8], in vault: Vault) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: vault.slotsPath))
  }

  @Test func `a flipped bit gives an error or the right key`() throws {
    let (vault, _, bytes) = try made()
    let unlocker = KeyUnlocker.provider(FixedProvider(byte: 9))
    let expected = try vault.dataKey()
    var generator = SeededGenerator()
    var counts = (opened: 0, refused: 0)
    for trial in 0..<trialCount(600) {
      // Each bit of the head once, then any.
      let bit =
        trial < 48 * 8 ? trial : Int.random(in: 0..<(bytes.count * 8), using: &generator)
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      try replace(changed, in: vault)
      do {
        let key = try vault.dataKey(unlocker)
        #expect(key.isSameKey(as: expected), "bit \(bit)")
        counts.opened += 1
      } catch let error as KeySlotsError {
        switch error {
        case .damaged, .unknownVersion, .otherDatabase: counts.refused += 1
        default: Issue.record("bit \(bit): \(error)")
        }
      }
      // Nothing is written over what is damaged.
      #expect(throws: KeySlotsError.self, "bit \(bit)") {
        try KeySlots.open(forDatabaseAt: vault.path).add(.passphrase("x"), authorizedBy: unlocker)
      }
      #expect(throws: KeySlotsError.self, "bit \(bit)") {
        try KeySlots.open(forDatabaseAt: vault.path).verify()
      }
    }
    #expect(counts.opened > 0 && counts.refused > 0)
    try replace(bytes, in: vault)
    try KeySlots.open(forDatabaseAt: vault.path).verify(authorizedBy: unlocker)
  }

  @Test func `somebody without a key can't change what the slots say`() throws {
    let (vault, slots, bytes) = try made()
    // A label is changed, and the checksum made right again.
    var changed = bytes
    let label = try #require(Data(changed).range(of: Data("zwei".utf8)))
    changed[label.lowerBound] = UInt8(ascii: "d")
    let checksum = try #require(LibCrypto.shared?.sha256(Array(changed.dropLast(32))))
    changed.replaceSubrange((changed.count - 32)..., with: checksum)
    try replace(changed, in: vault)
    try slots.verify()
    for unlocker in [Vault.passphrase, .provider(FixedProvider(byte: 9))] {
      #expect(throws: KeySlotsError.damaged(path: vault.slotsPath)) {
        try slots.verify(authorizedBy: unlocker)
      }
    }
    #expect(throws: KeySlotsError.noSlot(path: vault.slotsPath)) {
      try vault.read(.passphrase("second"))
    }
  }

  @Test func `a cut file and a foreign one are damaged`() throws {
    let (vault, _, bytes) = try made()
    var generator = SeededGenerator()
    let foreign = [
      [], [0], generator.bytes(500), Array("COFFERKS".utf8), bytes + [0], bytes + bytes,
    ]
    for content in foreign + (0..<bytes.count).map({ Array(bytes.prefix($0)) }) {
      try replace(content, in: vault)
      #expect(throws: KeySlotsError.damaged(path: vault.slotsPath), "\(content.count)") {
        try vault.dataKey()
      }
    }
    try replace([UInt8](repeating: 0, count: 1 << 20), in: vault)
    #expect(throws: KeySlotsError.damaged(path: vault.slotsPath)) { try vault.dataKey() }
  }

  @Test func `random bytes after a right head harm nothing`() throws {
    let (vault, _, bytes) = try made()
    var generator = SeededGenerator()
    for _ in 0..<trialCount(500) {
      var content = Array(bytes.prefix(48)) + generator.bytes(bytes.count - 48)
      content[10] = UInt8.random(in: 0...80, using: &generator)
      try replace(content, in: vault)
      #expect(throws: KeySlotsError.damaged(path: vault.slotsPath)) { try vault.dataKey() }
    }
  }

  @Test func `an unknown version is named`() throws {
    let (vault, _, bytes) = try made()
    var newer = bytes
    newer[8] = 2
    try replace(newer, in: vault)
    #expect(throws: KeySlotsError.unknownVersion(path: vault.slotsPath, version: 2)) {
      try vault.read(Vault.passphrase)
    }
  }

  @Test func `a derivation that would take hours or all memory is refused`() throws {
    let (vault, _, bytes) = try made()
    for value: UInt32 in [0, 999, 100_000_001, .max] {
      var changed = bytes
      // The first slot's iterations.
      for byte in 0..<4 { changed[48 + 16 + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
      try replace(changed, in: vault)
      #expect(throws: KeySlotsError.damaged(path: vault.slotsPath)) { try vault.dataKey() }
    }
  }

  @Test func `unreadable slots are told`() throws {
    let (vault, _) = try Vault.made()
    try FileManager.default.removeItem(atPath: vault.slotsPath)
    try FileManager.default.createDirectory(
      atPath: vault.slotsPath, withIntermediateDirectories: false)
    do {
      _ = try vault.dataKey()
      Issue.record("a folder has opened")
    } catch let error as KeySlotsError {
      guard case .unreadable(vault.slotsPath, _) = error else { throw error }
    }
  }

  /// The file that `Docs/Format.md` describes byte by byte.
  @Test func `the fixture of the format opens`() throws {
    let vault = try Vault()
    try FileManager.default.copyItem(
      atPath: KeyFixtures.path("slots-1.db"), toPath: vault.path)
    try FileManager.default.copyItem(
      atPath: KeyFixtures.path("slots-1.db-keys"), toPath: vault.slotsPath)
    let unlockers: [KeyUnlocker] = [
      .passphrase("correct horse"), .provider(FixedProvider(byte: 0x42)),
      .recoveryKey("000GN-40R48-0M308-E209K-185GH-R38EQ-1W81K-24GKX"),
    ]
    for unlocker in unlockers {
      let key = try vault.dataKey(unlocker)
      #expect(key.withUnsafeRawKey { unsafe Array($0) } == [UInt8](0x40..<0x60))
    }
    let slots = try KeySlots.open(forDatabaseAt: vault.path)
    try slots.verify(authorizedBy: .passphrase("correct horse"))
    #expect(slots.all.map(\.id) == [1, 2, 3])
    #expect(slots.all.map(\.label) == ["Ada", "service", "safe"])
    #expect(slots.all.map(\.kind) == [.passphrase, .provider, .recoveryKey])
    #expect(slots.all.allSatisfy { $0.created == Date(timeIntervalSince1970: 1_700_000_000) })
  }

  @Test(.enabled(if: Python.isInstalled))
  func `a reader in Python finds the same data key`() throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Format/read_keys.py").standardizedFileURL.path
    let (vault, _, _) = try made()
    let recovery = try KeySlots.open(forDatabaseAt: vault.path)
      .addRecoveryKey(authorizedBy: .passphrase("second"))
    let key = try vault.dataKey().withUnsafeRawKey { bytes in
      unsafe bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    for arguments in [
      ["--passphrase", "first"], ["--passphrase", "second"], ["--recovery-key", recovery.text],
      ["--raw", String(repeating: "09", count: 32)],
    ] {
      let output = try Python.run([script, vault.slotsPath] + arguments)
      #expect(output.contains("data key \(try #require(key))"), "\(output)")
      #expect(output.contains("zwei ✓"))
    }
    #expect(try Python.run([script, vault.slotsPath, "--passphrase", "x"]).contains("no slot"))
  }
}

enum Python {
  static let path = "/usr/bin/python3"
  static let isInstalled = access(path, X_OK) == 0

  /// Runs a script, and returns what it prints.
  static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
