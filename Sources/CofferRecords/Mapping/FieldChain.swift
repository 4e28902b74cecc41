import CofferCore

/// Fields that give their columns a record's values, one after the other.
@usableFromInline
protocol FieldWriting<Record>: Sendable {
  associatedtype Record

  func write(
    _ record: UnsafePointer<Record>, to container: inout PersistenceContainer,
    as names: inout FieldNames
  ) throws
}

/// Fields, and one after them.
@usableFromInline
struct FieldChain<First: FieldWriting, Last: FieldWriting>: FieldWriting
where First.Record == Last.Record {
  @usableFromInline let first: First
  @usableFromInline let last: Last

  @inlinable
  init(_ first: First, _ last: Last) {
    self.first = first
    self.last = last
  }

  @inlinable @inline(__always)
  func write(
    _ record: UnsafePointer<First.Record>, to container: inout PersistenceContainer,
    as names: inout FieldNames
  ) throws {
    try first.write(record, to: &container, as: &names)
    try last.write(record, to: &container, as: &names)
  }
}

extension FieldWriting {
  @inlinable @inline(__always)
  func and<Last: FieldWriting<Record>>(_ last: Last) -> FieldChain<Self, Last> {
    FieldChain(self, last)
  }
}
