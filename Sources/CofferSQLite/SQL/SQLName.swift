/// A name that is compared as SQLite does: bytewise, except for the case of ASCII letters.
///
/// Comparing and hashing allocate nothing.
@usableFromInline
package struct SQLName: Sendable, Hashable, Comparable {
  /// The name as written.
  @usableFromInline package let text: String

  package init(_ text: String) { self.text = text }

  @inlinable
  package static func == (lhs: SQLName, rhs: SQLName) -> Bool {
    let (lhs, rhs) = (lhs.text.utf8, rhs.text.utf8)
    let isSame = unsafe lhs.withContiguousStorageIfAvailable { lhs in
      unsafe rhs.withContiguousStorageIfAvailable { rhs in
        lhs.count == rhs.count && lhs.indices.allSatisfy { unsafe fold(lhs[$0]) == fold(rhs[$0]) }
      }
    }
    return (isSame ?? nil) ?? lhs.lazy.map(fold).elementsEqual(rhs.lazy.map(fold))
  }

  @inlinable
  package static func < (lhs: SQLName, rhs: SQLName) -> Bool {
    lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8) { fold($0) < fold($1) }
  }

  @inlinable
  package func hash(into hasher: inout Hasher) {
    let utf8 = text.utf8
    let hash = unsafe utf8.withContiguousStorageIfAvailable { unsafe SQLName.hash(of: $0) }
    hasher.combine(hash ?? SQLName.hash(of: utf8))
  }

  @inlinable
  static func hash(of bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(fold(byte))) &* 0x0000_0100_0000_01b3 }
    return hash
  }

  /// Whether the table is one of SQLite's internal tables.
  package var isInternal: Bool {
    text.utf8.prefix(7).lazy.map(SQLName.fold).elementsEqual("sqlite_".utf8)
  }

  /// The name with lowercase ASCII letters: the same for all forms of a name.
  package var folded: String { String(decoding: text.utf8.lazy.map(SQLName.fold), as: UTF8.self) }

  @inlinable
  static func fold(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }
}

extension String {
  /// Returns whether SQLite considers both strings the same name.
  @usableFromInline
  package func isSameName(as other: String) -> Bool { SQLName(self) == SQLName(other) }
}
