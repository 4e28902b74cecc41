import CofferCore

/// The values that were stored, or the record that holds them.
///
/// The values are rarely requested, so they are only collected on demand. The object is reused for
/// the next record, unless a caller keeps it.
@usableFromInline
@safe class StoredValues {
  let table: RecordTable
  /// Notified if a caller requests the values of a record of the type.
  @safe @usableFromInline let target: UnsafeMutablePointer<BindingTarget>?
  /// The target's owner count, which shows whether the target still belongs to the same plan.
  @usableFromInline let owner: UInt
  private let values: PersistenceContainer?
  /// How often the library's own `didInsert` was called with these values.
  @safe @exclusivity(unchecked) @usableFromInline final var defaultCallbackCount = 0

  init(_ values: PersistenceContainer, _ table: RecordTable, plan: RecordPlan? = nil) {
    self.values = values
    self.table = table
    target = plan?.target
    owner = plan?.target.pointee.owner ?? 0
  }

  /// - Parameter target: A target that has been prepared by `begin`.
  @usableFromInline
  @safe init(boundBy target: UnsafeMutablePointer<BindingTarget>) {
    guard let plan = unsafe target.pointee.plan?.takeUnretainedValue() else {
      preconditionFailure("a target without a plan")
    }
    values = nil
    table = plan.table
    self.target = unsafe target
    owner = unsafe target.pointee.owner
  }

  /// Encodes the record, if values weren't collected.
  @usableFromInline
  func encoded() -> PersistenceContainer? { nil }

  final var container: PersistenceContainer {
    // Two encodings can differ, for example by a date or a random value: from now on, records are
    // encoded once, and their values are collected.
    if let target, unsafe target.pointee.owner == owner { unsafe target.pointee.canBind = false }
    return values ?? encoded() ?? PersistenceContainer()
  }
}

/// The record whose values were bound.
@usableFromInline
final class StoredRecord<Record: EncodableRecord>: StoredValues {
  @safe @exclusivity(unchecked) @usableFromInline var value: Record?

  @inlinable
  @safe init(_ value: Record, boundBy target: UnsafeMutablePointer<BindingTarget>) {
    self.value = value
    super.init(boundBy: target)
  }

  /// Returns an object for the record, reusing one if possible.
  @inlinable @inline(__always)
  @safe static func make(
    _ value: Record, boundBy target: UnsafeMutablePointer<BindingTarget>
  ) -> StoredValues {
    guard let spare = unsafe target.pointee.spare.take(),
      let stored = exactly(StoredRecord<Record>.self, spare)
    else { return StoredRecord(value, boundBy: target) }
    stored.value = value
    return stored
  }

  @inlinable
  override func encoded() -> PersistenceContainer? {
    value.flatMap { try? PersistenceContainer($0) }
  }

  /// Returns the object to its plan for reuse, unless another reference to it exists.
  ///
  /// It is static, since instance methods of generic classes are never specialized.
  @inlinable @inline(__always)
  static func recycle(_ stored: inout StoredValues) {
    guard isKnownUniquelyReferenced(&stored), let target = stored.target,
      unsafe target.pointee.owner == stored.owner,
      let record = exactly(StoredRecord<Record>.self, stored)
    else { return }
    record.value = nil
    unsafe target.pointee.spare = stored
  }
}
