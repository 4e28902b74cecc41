import CofferCore

/// The values that were stored, or the record that has them.
///
/// Nobody asks for them most of the time: they are gathered when somebody does. The object is used
/// for one record after the other, as long as nobody keeps it.
@usableFromInline
class StoredValues {
  let table: RecordTable
  /// To be told that records of the type are asked for their values.
  @exclusivity(unchecked) @usableFromInline var plan: RecordPlan?
  private let values: PersistenceContainer?

  init(_ values: PersistenceContainer, _ table: RecordTable, plan: RecordPlan? = nil) {
    self.values = values
    self.table = table
    self.plan = plan
  }

  @usableFromInline
  init(plan: RecordPlan) {
    values = nil
    table = plan.table
    self.plan = plan
  }

  /// What the record encodes, where values weren't collected.
  @usableFromInline
  func encoded() -> PersistenceContainer? { nil }

  /// Forgets the record; whether there can be another one.
  @usableFromInline
  func clear() -> Bool { false }

  final var container: PersistenceContainer {
    // Two encodings may differ, where one has a date or a random value in it: from now on, what
    // is stored is what is kept here.
    plan?.canBind = false
    return values ?? encoded() ?? PersistenceContainer()
  }

  /// Gives the object back to its plan, unless somebody keeps it.
  @inlinable @inline(__always)
  static func recycle(_ stored: inout StoredValues) {
    guard isKnownUniquelyReferenced(&stored), let plan = stored.plan, stored.clear() else { return }
    // The plan is not to keep itself.
    stored.plan = nil
    plan.spare = stored
  }
}

/// The record whose values were bound.
@usableFromInline
final class StoredRecord<Record: EncodableRecord>: StoredValues {
  @exclusivity(unchecked) @usableFromInline var record: Record?

  @inlinable
  init(_ record: Record, boundBy plan: RecordPlan) {
    self.record = record
    super.init(plan: plan)
  }

  /// An object for the record: a used one, if there is one.
  @inlinable @inline(__always)
  static func make(_ record: Record, boundBy plan: RecordPlan) -> StoredValues {
    guard let spare = plan.spare, type(of: spare) == StoredRecord<Record>.self else {
      return StoredRecord(record, boundBy: plan)
    }
    plan.spare = nil
    // SAFETY: it is of that very class.
    let stored = unsafeDowncast(spare, to: StoredRecord<Record>.self)
    stored.record = record
    stored.plan = plan
    return stored
  }

  @inlinable
  override func encoded() -> PersistenceContainer? {
    record.flatMap { try? PersistenceContainer($0) }
  }

  @inlinable
  override func clear() -> Bool {
    record = nil
    return true
  }
}
