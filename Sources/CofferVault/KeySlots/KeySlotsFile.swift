import CofferSQLite
import FoundationEssentials

/// The bytes of a database's key slots. `Docs/Format.md` describes them.
///
/// Each slot holds the data key, sealed with the key of its unlocker. What isn't encrypted in a
/// slot is authenticated with it; all bytes together are authenticated with a key derived from the
/// data key. A checksum tells accidental damage from a wrong key.
struct KeySlotsFile: Sendable {
  struct Slot: Sendable {
    enum Derivation: Hashable, Sendable {
      /// HKDF-SHA256, for secrets that can't be guessed.
      case hkdf
      case passphrase(PassphraseDerivation)
    }

    var info: KeySlot
    var derivation: Derivation
    var salt: [UInt8]
    var nonce: [UInt8]
    /// The data key's ciphertext and its tag.
    var sealed: [UInt8]
  }

  static let version = 1
  static let largestSize = 65_536
  private static let magic = Array("COFFERKS".utf8)
  private static let headerSize = 48
  fileprivate static let fixedSlotSize = 102
  private static let codeSize = 32

  /// The salt of the database's file, which identifies it.
  var databaseSalt: [UInt8]
  /// The number of changes.
  var generation: UInt64
  /// The number that the next slot gets.
  var nextID: Int
  var slots: [Slot]
  /// The code over all that comes before it; empty in a file that isn't written yet.
  private var code: [UInt8] = []

  init(databaseSalt: [UInt8]) {
    precondition(databaseSalt.count == 16)
    self.databaseSalt = databaseSalt
    generation = 0
    nextID = 1
    slots = []
  }

  // MARK: Bytes

  /// The bytes without the code and the checksum.
  private var body: [UInt8] {
    var bytes = Self.magic
    bytes.append(UInt16(Self.version))
    bytes.append(UInt16(slots.count))
    bytes.append(UInt32(0))  // the length, below
    bytes += databaseSalt
    bytes.append(generation)
    bytes.append(UInt32(nextID))
    bytes.append(UInt32(0))
    for slot in slots {
      let label = Array(slot.info.label.utf8)
      bytes.append(UInt16(Self.fixedSlotSize + label.count))
      bytes += slot.metadata
      bytes += slot.sealed
      bytes += label
    }
    let length = UInt32(bytes.count + 2 * Self.codeSize)
    bytes.replaceSubrange(12..<16, with: length.littleEndianBytes)
    return bytes
  }

  /// Returns the file's bytes, authenticated with the data key.
  func bytes(authenticatedWith dataKey: SecureBytes) throws(KeySlotsError) -> [UInt8] {
    let body = body
    guard let crypto = LibCrypto.shared, let code = Self.code(of: body, dataKey, databaseSalt),
      let checksum = crypto.sha256(body + code)
    else { throw .unavailableDerivation("libcrypto") }
    return body + code + checksum
  }

  /// Whether all bytes are those that somebody with the data key has written.
  func isAuthentic(_ dataKey: SecureBytes) -> Bool {
    guard let expected = Self.code(of: body, dataKey, databaseSalt) else { return false }
    return SecureBytes(copying: expected).isEqual(to: SecureBytes(copying: code))
  }

  private static func code(of body: [UInt8], _ dataKey: SecureBytes, _ salt: [UInt8]) -> [UInt8]? {
    guard let crypto = LibCrypto.shared,
      let key = crypto.hkdf(dataKey, salt: salt, purpose: "coffer key slots 1")
    else { return nil }
    return unsafe body.withUnsafeBytes { crypto.sha256HMAC(key: key, message: $0) }?
      .withUnsafeBytes { unsafe Array($0) }
  }

  /// Reads the file's bytes.
  ///
  /// - Returns: The file, and whether its checksum is right. Where it isn't, a slot may still open.
  static func parse(
    _ bytes: [UInt8], path: String
  ) throws(KeySlotsError) -> (file: KeySlotsFile, isIntact: Bool) {
    var reader = ByteReader(bytes)
    guard bytes.count <= largestSize, reader.bytes(8) == magic, let version = reader.uint16(),
      let checksum = LibCrypto.shared?.sha256(Array(bytes.dropLast(codeSize)))
    else { throw .damaged(path: path) }
    let isIntact = checksum == Array(bytes.suffix(codeSize))
    guard version == Self.version else {
      throw .unknownVersion(path: path, version: Int(version))
    }
    guard let count = reader.uint16(), (1...KeySlots.largestCount).contains(Int(count)),
      reader.uint32().map({ Int($0) }) == bytes.count, let salt = reader.bytes(16),
      let generation = reader.uint64(), let nextID = reader.uint32(), reader.uint32() == 0
    else { throw .damaged(path: path) }
    var file = KeySlotsFile(databaseSalt: salt)
    file.generation = generation
    file.nextID = Int(nextID)
    for _ in 0..<count {
      guard let slot = Slot(&reader) else { throw .damaged(path: path) }
      file.slots.append(slot)
    }
    guard let code = reader.bytes(codeSize), reader.bytes(codeSize) != nil, reader.isAtEnd,
      Set(file.slots.map(\.info.id)).count == file.slots.count
    else { throw .damaged(path: path) }
    file.code = code
    return (file, isIntact)
  }

  // MARK: Keys

  /// Seals the data key for a secret.
  func seal(
    _ dataKey: SecureBytes, for secret: SlotSecret, info: KeySlot,
    _ derivation: PassphraseDerivation?
  ) throws(KeySlotsError) -> Slot {
    var slot = Slot(
      info: info, derivation: .hkdf, salt: DerivedKey.randomSalt(),
      nonce: Array(DerivedKey.randomSalt().prefix(AuthenticatedCipher.nonceSize)), sealed: [])
    if case .passphrase = secret {
      // With the salt of the other passphrases, one derivation tries them all.
      let other = slots.first {
        guard case .passphrase(let known) = $0.derivation else { return false }
        return derivation.map { $0 == known } ?? known.isAvailable
      }
      slot.derivation = other?.derivation ?? .passphrase(derivation ?? .measured())
      slot.salt = other?.salt ?? slot.salt
    }
    let key = try slot.key(for: secret)
    let context = context(of: slot)
    let sealed = dataKey.withUnsafeBytes {
      AuthenticatedCipher.shared?.seal($0, key: key, nonce: slot.nonce, context: context)
    }
    guard let sealed else { throw .unavailableDerivation("libcrypto") }
    slot.sealed = sealed
    return slot
  }

  /// Returns the first slot that the secret opens, and the data key in it; nil if there is none.
  func open(with secret: SlotSecret) throws(KeySlotsError) -> (slot: KeySlot, key: SecureBytes)? {
    guard let cipher = AuthenticatedCipher.shared else { throw .unavailableDerivation("libcrypto") }
    var keys: [KeyParameters: SecureBytes] = [:]
    var missing: KeySlotsError?
    for slot in slots {
      guard (slot.derivation != .hkdf) == secret.isPassphrase else { continue }
      let parameters = KeyParameters(derivation: slot.derivation, salt: slot.salt)
      do throws(KeySlotsError) {
        let key: SecureBytes
        if let known = keys[parameters] { key = known } else { key = try slot.key(for: secret) }
        keys[parameters] = key
        let context = context(of: slot)
        let opened = unsafe slot.sealed.withUnsafeBytes {
          cipher.open($0, key: key, nonce: slot.nonce, context: context)
        }
        if let opened { return (slot.info, opened) }
      } catch {
        missing = error
      }
    }
    if let missing { throw missing }
    return nil
  }

  private struct KeyParameters: Hashable {
    let derivation: Slot.Derivation
    let salt: [UInt8]
  }

  /// What is authenticated with a slot's ciphertext.
  private func context(of slot: Slot) -> [UInt8] {
    Self.magic + UInt16(Self.version).littleEndianBytes + databaseSalt + slot.metadata
      + Array(slot.info.label.utf8)
  }
}

extension SlotSecret {
  var isPassphrase: Bool { if case .passphrase = self { true } else { false } }
}

extension KeySlotsFile.Slot {
  /// All but the length, the sealed key and the label.
  fileprivate var metadata: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(UInt32(info.id))
    bytes.append(UInt8(KeySlot.Kind.allCases.firstIndex(of: info.kind)! + 1))
    var parameters: (UInt8, Int, Int) = (0, 0, 0)
    if case .passphrase(let derivation) = derivation {
      switch derivation.function {
      case .argon2id(let memory, let passes): parameters = (1, memory, passes)
      case .pbkdf2(let iterations): parameters = (2, iterations, 0)
      }
    }
    bytes.append(parameters.0)
    bytes.append(UInt64(bitPattern: Int64(info.created.timeIntervalSince1970)))
    bytes.append(UInt32(parameters.1))
    bytes.append(UInt32(parameters.2))
    bytes.append(UInt16(info.label.utf8.count))
    return bytes + salt + nonce
  }

  /// Nil if the bytes are no slot.
  fileprivate init?(_ reader: inout ByteReader) {
    guard let length = reader.uint16(), let id = reader.uint32(), let kind = reader.uint8(),
      let derivation = reader.uint8(), let created = reader.uint64(), let first = reader.uint32(),
      let second = reader.uint32(), let labelSize = reader.uint16(), let salt = reader.bytes(16),
      let nonce = reader.bytes(AuthenticatedCipher.nonceSize),
      let sealed = reader.bytes(32 + AuthenticatedCipher.tagSize),
      let labelBytes = reader.bytes(Int(labelSize)), labelBytes.count <= KeySlots.largestLabel,
      Int(length) == KeySlotsFile.fixedSlotSize + labelBytes.count,
      let label = String(validating: labelBytes, as: UTF8.self),
      KeySlot.Kind.allCases.indices.contains(Int(kind) - 1)
    else { return nil }
    switch derivation {
    case 0 where first == 0 && second == 0: self.derivation = .hkdf
    case 1:
      self.derivation = .passphrase(
        .init(function: .argon2id(memory: Int(first), passes: Int(second))))
    case 2 where second == 0:
      self.derivation = .passphrase(.init(function: .pbkdf2(iterations: Int(first))))
    default: return nil
    }
    if case .passphrase(let derivation) = self.derivation, !derivation.isInRange { return nil }
    let seconds = Int64(bitPattern: created)
    // The range of dates that have four digits of a year.
    guard (0...253_402_300_799).contains(seconds) else { return nil }
    info = KeySlot(
      id: Int(id), label: label, kind: KeySlot.Kind.allCases[Int(kind) - 1],
      created: Date(timeIntervalSince1970: Double(seconds)))
    (self.salt, self.nonce, self.sealed) = (salt, nonce, sealed)
  }

  /// Returns the key that seals the slot.
  fileprivate func key(for secret: SlotSecret) throws(KeySlotsError) -> SecureBytes {
    switch (secret, derivation) {
    case (.passphrase(let bytes), .passphrase(let derivation)):
      return try derivation.derive(bytes, salt: salt)
    case (.random(let bytes), _), (.passphrase(let bytes), .hkdf):
      guard
        let key = LibCrypto.shared?.hkdf(bytes, salt: salt, purpose: "coffer key slot 1")
      else { throw .unavailableDerivation("libcrypto") }
      return key
    }
  }
}
