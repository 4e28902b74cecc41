import Synchronization

/// A table of words by type, which threads read and exchange without a lock.
///
/// Several types can share a slot: check that a word belongs to the type.
// SAFETY: memory that is never freed, and consists of atomics.
@safe package struct TypeSlots: @unchecked Sendable {
  private static let count = 32

  @safe private let start: UnsafeMutablePointer<Atomic<UInt>>

  /// Creates slots that are zero. They are never freed, so keep the value in a constant.
  package init() {
    start = .allocate(capacity: TypeSlots.count)
    for index in 0..<TypeSlots.count { unsafe (start + index).initialize(to: Atomic(0)) }
  }

  @safe private func slot(_ type: ObjectIdentifier) -> UnsafeMutablePointer<Atomic<UInt>> {
    // Metatypes are aligned, and some hundred bytes apart.
    let address = UInt(bitPattern: type)
    return unsafe start + Int(((address >> 4) ^ (address >> 9)) & UInt(TypeSlots.count - 1))
  }

  /// Returns the word in the type's slot.
  package func word(_ type: ObjectIdentifier) -> UInt {
    slot(type).pointee.load(ordering: .acquiring)
  }

  /// Replaces the word in the type's slot.
  /// - Returns: The previous word.
  package func exchange(_ word: UInt, _ type: ObjectIdentifier) -> UInt {
    slot(type).pointee.exchange(word, ordering: .acquiringAndReleasing)
  }
}
