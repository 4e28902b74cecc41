import CofferCore

/// The values that were stored, or the record that has them.
///
/// Nobody asks for them most of the time: they are gathered when somebody does. The object is used
/// for one record after the other, as long as nobody keeps it.
@usableFromInline
class StoredValues {
  let table: RecordTable
  /// To be told that records of the type are asked for their values.
  @usableFromInline let target: UnsafeMutablePointer<BindingTarget>?
  /// The count by which the target knows whether it is still the same plan's.
  @usableFromInline let owner: UInt
  /// The type of the record that has the values; nil where they were collected.
  @usableFromInline let record: ObjectIdentifier?
  private let values: PersistenceContainer?

  init(_ values: PersistenceContainer, _ table: RecordTable, plan: RecordPlan? = nil) {
    self.values = values
    self.table = table
    target = plan?.target
    owner = plan?.target.pointee.owner ?? 0
    record = nil
  }

  /// - Parameter target: One that is begun.
  @usableFromInline
  init(_ target: UnsafeMutablePointer<BindingTarget>, record: Any.Type) {
    guard let plan = target.pointee.plan?.takeUnretainedValue() else {
      preconditionFailure("a target without a plan")
    }
    values = nil
    table = plan.table
    self.target = target
    owner = target.pointee.owner
    self.record = ObjectIdentifier(record)
  }

  /// What the record encodes, where values weren't collected.
  @usableFromInline
  func encoded() -> PersistenceContainer? { nil }

  final var container: PersistenceContainer {
    // Two encodings may differ, where one has a date or a random value in it: from now on, what
    // is stored is what is kept here.
    if let target, target.pointee.owner == owner { target.pointee.canBind = false }
    return values ?? encoded() ?? PersistenceContainer()
  }
}

/// The record whose values were bound.
@usableFromInline
final class StoredRecord<Record: EncodableRecord>: StoredValues {
  @exclusivity(unchecked) @usableFromInline var value: Record?

  @inlinable
  init(_ value: Record, boundBy target: UnsafeMutablePointer<BindingTarget>) {
    self.value = value
    super.init(target, record: Record.self)
  }

  /// An object for the record: a used one, if there is one.
  @inlinable @inline(__always)
  static func make(
    _ value: Record, boundBy target: UnsafeMutablePointer<BindingTarget>
  ) -> StoredValues {
    guard let spare = target.pointee.spare.take(), spare.record == ObjectIdentifier(Record.self)
    else { return StoredRecord(value, boundBy: target) }
    // SAFETY: it is of that very class.
    unsafeDowncast(spare, to: StoredRecord<Record>.self).value = value
    return spare
  }

  @inlinable
  override func encoded() -> PersistenceContainer? {
    value.flatMap { try? PersistenceContainer($0) }
  }

  /// Gives the object back to its plan, unless somebody keeps it.
  ///
  /// Not a method: those of generic classes are never specialised.
  @inlinable @inline(__always)
  static func recycle(_ stored: inout StoredValues) {
    guard stored.record == ObjectIdentifier(Record.self), isKnownUniquelyReferenced(&stored),
      let target = stored.target, target.pointee.owner == stored.owner
    else { return }
    // SAFETY: it is of that very class.
    unsafeDowncast(stored, to: StoredRecord<Record>.self).value = nil
    target.pointee.spare = stored
  }
}
