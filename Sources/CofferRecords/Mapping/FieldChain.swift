import CofferCore

/// Fields that write a record's values in sequence.
@usableFromInline
protocol FieldWriting<Record>: Sendable {
  associatedtype Record

  @safe func write<Sink: FieldSink>(_ record: UnsafePointer<Record>, to sink: inout Sink) throws
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
  @safe func write<Sink: FieldSink>(
    _ record: UnsafePointer<First.Record>, to sink: inout Sink
  ) throws {
    try first.write(record, to: &sink)
    try last.write(record, to: &sink)
  }
}

/// The parts of several fields, and the chain that writes them.
@usableFromInline
struct FieldList<Record, Writing: FieldWriting<Record>> {
  @usableFromInline let parts: [FieldPart<Record>]
  @usableFromInline let writing: Writing

  @inlinable
  init(_ parts: [FieldPart<Record>], _ writing: Writing) {
    self.parts = parts
    self.writing = writing
  }

  @inlinable
  func and<Value, Coding>(
    _ last: Field<Record, Value, Coding>
  ) -> FieldList<Record, FieldChain<Writing, FieldAccess<Record, Value, Coding>>> {
    FieldList<_, FieldChain<_, _>>(parts + [last.part], FieldChain(writing, last.access))
  }
}

extension Field {
  @usableFromInline
  typealias Alone = FieldList<Record, FieldAccess<Record, Value, Coding>>

  @inlinable var alone: Alone { FieldList([part], access) }

  @inlinable
  func and<Other, OtherCoding>(
    _ last: Field<Record, Other, OtherCoding>
  ) -> FieldList<
    Record, FieldChain<FieldAccess<Record, Value, Coding>, FieldAccess<Record, Other, OtherCoding>>
  > { alone.and(last) }
}
