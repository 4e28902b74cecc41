/// Idle objects, at most one per type, which threads take without a lock.
///
/// Several types can share a slot: check that an object is for the right type.
package struct WaitingObjects<Object: AnyObject>: Sendable {
  /// The retained objects; 0 for an empty slot.
  private let slots = TypeSlots()

  /// Creates an empty table. Its slots are never freed, so keep the value in a constant.
  package init() {}

  /// Takes the object out of the type's slot; the caller owns it then.
  package func take(_ type: ObjectIdentifier) -> Object? { exchange(type, 0) }

  /// Stores an object, which no other thread may use.
  package func put(_ object: Object, _ type: ObjectIdentifier) {
    _ = unsafe exchange(type, UInt(bitPattern: Unmanaged.passRetained(object).toOpaque()))
  }

  private func exchange(_ type: ObjectIdentifier, _ word: UInt) -> Object? {
    guard let object = unsafe UnsafeRawPointer(bitPattern: slots.exchange(word, type)) else {
      return nil
    }
    // SAFETY: `put` has retained it, and the exchange gives it to one thread.
    return unsafe Unmanaged<Object>.fromOpaque(object).takeRetainedValue()
  }
}
