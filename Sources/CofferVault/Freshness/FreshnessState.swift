import CofferSQLite

/// What was newest of a database at one moment.
///
/// `Docs/Format.md` has its bytes.
struct FreshnessState: Equatable {
  struct Flags: OptionSet {
    let rawValue: UInt16
    /// The database was closed: nothing follows this state.
    static let closed = Flags(rawValue: 1)
    /// The key is being changed: any authentic content with the seal's key may follow.
    static let changesKey = Flags(rawValue: 2)
  }

  /// The size of a state with its seal.
  static let byteCount = 176
  static let sealOffset = 144
  private static let magic = Array("CofferFr".utf8)
  private static let version = 1

  var flags: Flags = []
  var pageSize: Int
  var salt: [UInt8]
  /// Random bytes that distinguish databases with the same key and salt.
  var identity: [UInt8]
  var counter: UInt64 = 0
  /// The number of the last commit.
  var commit: UInt32 = 0
  /// The number of the last commit before the log began.
  var logCommit: UInt32 = 0
  var pageCount = 0
  /// The number of frames in the log; 0 if the state doesn't need the log.
  var logFrameCount = 0
  /// The log's salts, as they are in the log.
  var logSalts: [UInt8] = [UInt8](repeating: 0, count: 8)
  /// The anchor that this state follows, by the beginning of its seal.
  var base = [UInt8](repeating: 0, count: 16)
  /// Another anchor that this state may follow: one that is being stored.
  var pending = [UInt8](repeating: 0, count: 16)
  var root = [UInt8](repeating: 0, count: 32)

  var isClosed: Bool { flags.contains(.closed) }

  // MARK: Bytes

  /// Returns the bytes and their seal.
  func sealed(with keys: FreshnessKeys) throws -> [UInt8] {
    var bytes = Self.magic
    bytes.reserveCapacity(Self.byteCount)
    func append<T: FixedWidthInteger>(_ value: T) {
      for byte in 0..<(T.bitWidth / 8) {
        bytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte)))
      }
    }
    append(UInt16(Self.version))
    append(flags.rawValue)
    append(UInt32(pageSize))
    bytes += salt
    bytes += identity
    append(counter)
    append(commit)
    append(logCommit)
    append(UInt32(pageCount))
    append(UInt32(logFrameCount))
    bytes += logSalts
    bytes += base
    bytes += pending
    bytes += root
    return try bytes + keys.code(keys.seal, bytes)
  }

  private struct Reader {
    let bytes: ArraySlice<UInt8>
    var offset: Int

    mutating func take(_ count: Int) -> [UInt8] {
      defer { offset += count }
      return Array(bytes[offset..<(offset + count)])
    }

    mutating func integer<T: FixedWidthInteger>(_ type: T.Type) -> T {
      var value: T = 0
      for (index, byte) in take(T.bitWidth / 8).enumerated() { value |= T(byte) << (8 * index) }
      return value
    }
  }

  /// Reads bytes without checking their seal.
  ///
  /// - Returns: Nil for bytes that are no state.
  /// - Throws: ``FreshnessError/unknownVersion(_:)``.
  init?(_ bytes: ArraySlice<UInt8>) throws(FreshnessError) {
    guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
    var reader = Reader(bytes: bytes, offset: bytes.startIndex + Self.magic.count)
    let version = Int(reader.integer(UInt16.self))
    guard version == Self.version else { throw .unknownVersion(version) }
    flags = Flags(rawValue: reader.integer(UInt16.self))
    pageSize = Int(reader.integer(UInt32.self))
    salt = reader.take(16)
    identity = reader.take(16)
    counter = reader.integer(UInt64.self)
    commit = reader.integer(UInt32.self)
    logCommit = reader.integer(UInt32.self)
    pageCount = Int(reader.integer(UInt32.self))
    logFrameCount = Int(reader.integer(UInt32.self))
    logSalts = reader.take(8)
    base = reader.take(16)
    pending = reader.take(16)
    root = reader.take(32)
  }

  init(pageSize: Int, salt: [UInt8], identity: [UInt8]) {
    self.pageSize = pageSize
    self.salt = salt
    self.identity = identity
  }

  /// The states in an anchor or a record: one, or two while the key is being changed. The second
  /// block of an anchor can be an ``ArchivedEnd``, too.
  static func blocks(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    guard bytes.count == byteCount || bytes.count == 2 * byteCount else { return [] }
    return stride(from: 0, to: bytes.count, by: byteCount).map { bytes[$0..<($0 + byteCount)] }
  }

  /// The counter in the bytes of an anchor, without checking their seal; nil for other bytes.
  static func counter(of bytes: [UInt8]) -> UInt64? {
    blocks(of: bytes).first.flatMap { (try? FreshnessState($0))?.counter }
  }
}

/// A state and the bytes that prove it.
struct SealedState {
  var state: FreshnessState
  /// The beginning of the seal, by which other states refer to this one.
  let digest: [UInt8]
  /// All bytes of the anchor or record.
  let bytes: [UInt8]

  init(_ state: FreshnessState, keys: FreshnessKeys) throws {
    self.state = state
    bytes = try state.sealed(with: keys)
    digest = Self.digest(bytes[...])
  }

  /// Finds the state whose seal the keys confirm.
  ///
  /// - Returns: Nil if there is none.
  init?(_ bytes: [UInt8], keys: FreshnessKeys) throws {
    for block in FreshnessState.blocks(of: bytes) {
      guard let state = try FreshnessState(block) else { continue }
      let end = block.startIndex + FreshnessState.sealOffset
      let seal = try SecureBytes(copying: keys.code(keys.seal, Array(block[..<end])))
      guard seal.isEqual(to: SecureBytes(copying: block[end...])) else { continue }
      self.state = state
      self.bytes = bytes
      digest = Self.digest(block)
      return
    }
    return nil
  }

  /// A state under the present key, and another one under the next key.
  init(_ first: SealedState, and second: SealedState) {
    self.init(first, block: second.bytes)
  }

  /// A state, and the end of the archive as of then.
  init(_ first: SealedState, and end: ArchivedEnd, keys: FreshnessKeys) throws {
    self.init(first, block: try end.sealed(after: first, with: keys))
  }

  private init(_ first: SealedState, block: [UInt8]) {
    state = first.state
    digest = first.digest
    bytes = first.bytes + block
  }

  private static func digest(_ block: ArraySlice<UInt8>) -> [UInt8] {
    let start = block.startIndex + FreshnessState.sealOffset
    return Array(block[start..<(start + 16)])
  }
}

/// The keys that authenticate states and roots.
struct FreshnessKeys: Sendable {
  let seal: SecureBytes
  let root: SecureBytes
  private let crypto: LibCrypto

  /// - Throws: ``FreshnessError/unsupported(reason:)`` if there is no libcrypto.
  init(_ key: DerivedKey) throws(FreshnessError) {
    guard let crypto = LibCrypto.shared,
      let seal = crypto.hkdf(key.key, salt: key.salt, purpose: "coffer freshness seal"),
      let root = crypto.hkdf(key.key, salt: key.salt, purpose: "coffer freshness root")
    else { throw .unsupported(reason: "libcrypto isn't available") }
    self.crypto = crypto
    self.seal = seal
    self.root = root
  }

  /// Returns the HMAC-SHA256 of a message.
  func code(_ key: SecureBytes, _ message: [UInt8]) throws(FreshnessError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 64)
    let succeeded = unsafe code.withUnsafeMutableBytes { code in
      unsafe message.withUnsafeBytes {
        crypto.hmac(.sha256, key: key, message: $0, into: code)
      }
    }
    guard succeeded else { throw .unsupported(reason: "libcrypto has failed") }
    return Array(code[..<32])
  }
}
