import CofferCore

/// A receiver of the values of a record's columns, in order.
///
/// Types outside the library must not conform to it.
public protocol FieldSink {
  /// Sets the value of the next column.
  mutating func set<Value: DatabaseValueConvertible>(_ value: Value)

  /// Sets the values of the next columns from a mapping.
  @safe mutating func set<Record>(_ record: UnsafePointer<Record>, _ mapping: Mapping<Record>)
    throws
}

/// Writes to a container, by the names of the columns.
@usableFromInline
@safe struct ContainerSink: FieldSink {
  // SAFETY: the sink is only used inside the closure that the pointer was passed to.
  @safe @usableFromInline let container: UnsafeMutablePointer<PersistenceContainer>
  @usableFromInline let names: ContiguousArray<String>
  @usableFromInline var column = 0

  @inlinable
  @safe init(
    _ container: UnsafeMutablePointer<PersistenceContainer>, _ names: ContiguousArray<String>
  ) {
    self.container = unsafe container
    self.names = names
  }

  @inlinable @inline(__always)
  mutating func set<Value: DatabaseValueConvertible>(_ value: Value) {
    container.pointee.set(value, forColumn: names[column])
    column &+= 1
  }

  @inlinable
  @safe mutating func set<Record>(_ record: UnsafePointer<Record>, _ mapping: Mapping<Record>)
    throws
  {
    try unsafe mapping.collect(record, &self)
  }
}

/// Binds the parameters of an insertion, in the order of the columns.
@usableFromInline
struct BinderSink: FieldSink {
  @usableFromInline var binder: StatementBinder

  @inlinable
  init(_ binder: StatementBinder) { self.binder = binder }

  @inlinable @inline(__always)
  mutating func set<Value: DatabaseValueConvertible>(_ value: Value) { binder.bind(value) }

  @inlinable
  @safe mutating func set<Record>(_ record: UnsafePointer<Record>, _ mapping: Mapping<Record>)
    throws
  {
    try unsafe mapping.bind(record, &self)
  }
}
