import Synchronization

/// A few words in memory, by type, which threads read and exchange without a lock.
///
/// Types share a slot: who uses one has to look whose the word in it is.
// SAFETY: memory that is never freed, and made of atomics.
package struct TypeSlots: @unchecked Sendable {
  private static let count = 32

  private let start: UnsafeMutablePointer<Atomic<UInt>>

  /// Slots that are all zero, for a constant: they are never freed.
  package init() {
    start = .allocate(capacity: TypeSlots.count)
    for index in 0..<TypeSlots.count { (start + index).initialize(to: Atomic(0)) }
  }

  private func slot(_ type: ObjectIdentifier) -> UnsafeMutablePointer<Atomic<UInt>> {
    // Types are aligned, and some hundred bytes apart.
    let address = UInt(bitPattern: type)
    return start + Int(((address >> 4) ^ (address >> 9)) & UInt(TypeSlots.count - 1))
  }

  /// The word in the type's slot.
  package func word(_ type: ObjectIdentifier) -> UInt {
    slot(type).pointee.load(ordering: .acquiring)
  }

  /// Replaces the word in the type's slot.
  /// - Returns: The word that was there.
  package func exchange(_ word: UInt, _ type: ObjectIdentifier) -> UInt {
    slot(type).pointee.exchange(word, ordering: .acquiringAndReleasing)
  }
}
