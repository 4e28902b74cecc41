import CofferSQLite

/// The last commit of an archive, as an anchor knows it.
///
/// It follows the anchor's state, in a block of the same size: who doesn't know of it reads the
/// state alone. `Docs/Format.md` has its bytes.
package struct ArchivedEnd: Equatable, Sendable {
  /// The archive's random number, of 16 bytes.
  package let archive: [UInt8]
  /// The number of the commit.
  package let commit: UInt64
  /// Its date, in milliseconds since 1970.
  package let date: UInt64

  private static let magic = Array("CofferAr".utf8)
  private static let version: UInt16 = 1

  package init(archive: [UInt8], commit: UInt64, date: UInt64) {
    (self.archive, self.commit, self.date) = (archive, commit, date)
  }

  /// Returns the block that follows a state, and no other one.
  func sealed(after state: SealedState, with keys: FreshnessKeys) throws -> [UInt8] {
    var bytes = Self.magic
    bytes.append(Self.version)
    bytes += [UInt8](repeating: 0, count: 6)
    bytes += state.digest + archive
    bytes.append(commit)
    bytes.append(date)
    bytes += [UInt8](repeating: 0, count: FreshnessState.sealOffset - bytes.count)
    return try bytes + keys.code(keys.seal, bytes)
  }

  /// Reads the block that follows an anchor's state; nil if there is none whose seal is right.
  init?(after state: SealedState, with keys: FreshnessKeys) throws {
    guard let block = FreshnessState.blocks(of: state.bytes).dropFirst().first else { return nil }
    let seal = block.startIndex + FreshnessState.sealOffset
    guard
      try SecureBytes(copying: keys.code(keys.seal, Array(block[..<seal])))
        .isEqual(to: SecureBytes(copying: block[seal...]))
    else { return nil }
    var reader = ByteReader(Array(block))
    guard reader.bytes(Self.magic.count) == Self.magic, reader.uint16() == Self.version,
      reader.bytes(6) != nil, reader.bytes(16) == state.digest,
      let archive = reader.bytes(16), let commit = reader.uint64(), let date = reader.uint64()
    else { return nil }
    self.init(archive: archive, commit: commit, date: date)
  }
}

extension FreshnessAnchor {
  /// Returns the archive's last commit that the anchor knows; nil for none.
  ///
  /// - Parameter path: The path of the database, for which the anchor is kept.
  /// - Throws: ``FreshnessError`` if there is no anchor with this key, or it is out of reach.
  package func archivedEnd(forDatabaseAt path: String, key: DerivedKey) throws -> ArchivedEnd? {
    let keys = try FreshnessKeys(key)
    guard let bytes = try Freshness.load(self, forDatabaseAt: path) else {
      throw FreshnessError.anchorMissing
    }
    guard let state = try SealedState(bytes, keys: keys) else { throw FreshnessError.anchorDamaged }
    return try ArchivedEnd(after: state, with: keys)
  }
}
