import CofferCore

/// Fields that write a record's values, one after the other.
@usableFromInline
protocol FieldWriting<Record>: Sendable {
  associatedtype Record

  func write<Sink: FieldSink>(_ record: UnsafePointer<Record>, to sink: inout Sink) throws
}

/// A chain of fields and the field after it.
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
  func write<Sink: FieldSink>(
    _ record: UnsafePointer<First.Record>, to sink: inout Sink
  ) throws {
    try first.write(record, to: &sink)
    try last.write(record, to: &sink)
  }
}

extension FieldWriting {
  @inlinable @inline(__always)
  func and<Last: FieldWriting<Record>>(_ last: Last) -> FieldChain<Self, Last> {
    FieldChain(self, last)
  }
}
