/// Names by the identity of an object, which threads read without a lock.
///
/// A name stays forever, as does its key, so that no other object gets the key's address. Only the
/// first key of a slot has its name kept.
// SAFETY: entries are immutable and never released, and a key is only compared.
@safe package struct KeptNames: @unchecked Sendable {
  private final class Entry {
    let key: AnyObject
    let name: String

    init(_ key: AnyObject, _ name: String) { (self.key, self.name) = (key, name) }
  }

  /// The retained entries; 0 for an empty slot.
  private let slots = TypeSlots(count: 256)

  /// Creates an empty table. It is never freed, so keep it in a constant.
  package init() {}

  /// Returns the key's name; nil if it isn't kept.
  package func name(of key: AnyObject) -> String? {
    guard let entry = entry(ObjectIdentifier(key)) else { return nil }
    return unsafe entry._withUnsafeGuaranteedRef { $0.key === key ? $0.name : nil }
  }

  /// Keeps the name of a key, unless another key has its slot.
  ///
  /// Don't call it on several threads at once.
  package func keep(_ name: String, of key: AnyObject) {
    guard unsafe entry(ObjectIdentifier(key)) == nil else { return }
    let entry = unsafe Unmanaged.passRetained(Entry(key, name)).toOpaque()
    _ = slots.exchange(UInt(bitPattern: entry), ObjectIdentifier(key))
  }

  @safe private func entry(_ key: ObjectIdentifier) -> Unmanaged<Entry>? {
    unsafe UnsafeRawPointer(bitPattern: slots.word(key)).map { unsafe .fromOpaque($0) }
  }
}
