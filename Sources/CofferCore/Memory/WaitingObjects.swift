/// Objects that wait for their next use, one for a type at most, which threads take without a lock.
///
/// Types share slots: the user of an object checks that it is for the right type.
package struct WaitingObjects<Object: AnyObject>: Sendable {
  /// The objects, retained; 0 for none.
  private let slots = TypeSlots()

  /// No objects, for a constant: the slots are never freed.
  package init() {}

  /// The object that waits in the type's slot, which belongs to the caller now.
  package func take(_ type: ObjectIdentifier) -> Object? { exchange(type, 0) }

  /// Lets an object wait that no other thread uses.
  package func put(_ object: Object, _ type: ObjectIdentifier) {
    _ = exchange(type, UInt(bitPattern: Unmanaged.passRetained(object).toOpaque()))
  }

  private func exchange(_ type: ObjectIdentifier, _ word: UInt) -> Object? {
    guard let object = UnsafeRawPointer(bitPattern: slots.exchange(word, type)) else { return nil }
    // SAFETY: `put` has retained it, and the exchange gives it to one thread.
    return Unmanaged<Object>.fromOpaque(object).takeRetainedValue()
  }
}
