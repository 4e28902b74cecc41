import CofferCore

/// A field without its types.
@usableFromInline
struct FieldPart<Record>: Sendable {
  let keyPath: any PartialKeyPath<Record> & Sendable
  let columns: [MappedColumn]
}

/// How a property's value is taken from a record.
@usableFromInline
struct FieldAccess<Record, Value, Coding: FieldCoding<Value>>: FieldWriting {
  @usableFromInline let keyPath: any KeyPath<Record, Value> & Sendable
  /// Where a struct's stored property is in it, in bytes; -1 for any other.
  @usableFromInline let offset: Int

  init(_ keyPath: any KeyPath<Record, Value> & Sendable) {
    self.keyPath = keyPath
    offset = MemoryLayout<Record>.offset(of: keyPath) ?? -1
  }

  /// Gives the columns the property of a record.
  @inlinable @inline(__always)
  func write<Sink: FieldSink>(
    _ record: UnsafePointer<Record>, to sink: inout Sink
  ) throws {
    if offset >= 0 {
      // SAFETY: the offset is that of a stored property of this very type.
      let property = (UnsafeRawPointer(record) + offset).assumingMemoryBound(to: Value.self)
      try Coding.write(property.pointee, to: &sink)
    } else {
      try Coding.write(record.pointee[keyPath: keyPath], to: &sink)
    }
  }
}
