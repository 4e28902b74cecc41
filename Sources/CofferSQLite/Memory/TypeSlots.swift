import Synchronization

/// A table of words by type, or by another object, which threads read and exchange without a lock.
///
/// Several types can share a slot: check that a word belongs to the type.
// SAFETY: memory that is never freed, and consists of atomics.
@safe package struct TypeSlots: @unchecked Sendable {
  private let mask: UInt
  @safe private let start: UnsafeMutablePointer<Atomic<UInt>>

  /// Creates slots that are zero. They are never freed, so keep the value in a constant.
  ///
  /// - Parameter count: A power of 2.
  package init(count: Int = 32) {
    mask = UInt(count - 1)
    start = .allocate(capacity: count)
    for index in 0..<count { unsafe (start + index).initialize(to: Atomic(0)) }
  }

  @safe private func slot(_ type: ObjectIdentifier) -> UnsafeMutablePointer<Atomic<UInt>> {
    // Metatypes are aligned, and some hundred bytes apart.
    let address = UInt(bitPattern: type)
    return unsafe start + Int(((address >> 4) ^ (address >> 9)) & mask)
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
