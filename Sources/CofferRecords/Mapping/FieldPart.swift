import CofferCore

/// A field without its value types.
@usableFromInline
struct FieldPart<Record>: Sendable {
  let keyPath: any PartialKeyPath<Record> & Sendable
  let columns: [MappedColumn]
}

/// Reads the value of a property from a record.
@usableFromInline
struct FieldAccess<Record, Value, Coding: FieldCoding<Value>>: FieldWriting {
  @usableFromInline let keyPath: any KeyPath<Record, Value> & Sendable
  /// The offset of a struct's stored property, in bytes; -1 for other properties.
  @usableFromInline let offset: Int

  init(_ keyPath: any KeyPath<Record, Value> & Sendable) {
    self.keyPath = keyPath
    offset = MemoryLayout<Record>.offset(of: keyPath) ?? -1
  }

  /// Writes a record's property to its columns.
  @inlinable @inline(__always)
  @safe func write<Sink: FieldSink>(
    _ record: UnsafePointer<Record>, to sink: inout Sink
  ) throws {
    if offset >= 0 {
      // SAFETY: `offset` is the offset of a stored property of type `Value` in `Record`.
      let property = unsafe (UnsafeRawPointer(record) + offset).assumingMemoryBound(to: Value.self)
      try unsafe Coding.write(property.pointee, to: &sink)
    } else {
      try unsafe Coding.write(record.pointee[keyPath: keyPath], to: &sink)
    }
  }
}
