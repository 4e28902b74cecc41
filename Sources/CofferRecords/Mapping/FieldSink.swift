import CofferCore

/// What takes the values of a record's columns, one after the other. It is not to be adopted by
/// other types.
public protocol FieldSink {
  /// Gives the next column its value.
  mutating func set<Value: DatabaseValueConvertible>(_ value: Value)

  /// Gives the next columns those of a mapping.
  mutating func set<Record>(_ record: UnsafePointer<Record>, _ mapping: Mapping<Record>) throws
}

/// A container, which has names for the columns.
@usableFromInline
struct ContainerSink: FieldSink {
  // SAFETY: the sink is used while the container is lent.
  @usableFromInline let container: UnsafeMutablePointer<PersistenceContainer>
  @usableFromInline let names: ContiguousArray<String>
  @usableFromInline var column = 0

  @inlinable
  init(_ container: UnsafeMutablePointer<PersistenceContainer>, _ names: ContiguousArray<String>) {
    self.container = container
    self.names = names
  }

  @inlinable @inline(__always)
  mutating func set<Value: DatabaseValueConvertible>(_ value: Value) {
    container.pointee.set(value, forColumn: names[column])
    column &+= 1
  }

  @inlinable
  mutating func set<Record>(_ record: UnsafePointer<Record>, _ mapping: Mapping<Record>) throws {
    try mapping.collect(record, &self)
  }
}

/// The parameters of an insertion, in the order of the columns.
@usableFromInline
struct BinderSink: FieldSink {
  @usableFromInline var binder: StatementBinder

  @inlinable
  init(_ binder: StatementBinder) { self.binder = binder }

  @inlinable @inline(__always)
  mutating func set<Value: DatabaseValueConvertible>(_ value: Value) { binder.bind(value) }

  @inlinable
  mutating func set<Record>(_ record: UnsafePointer<Record>, _ mapping: Mapping<Record>) throws {
    try mapping.bind(record, &self)
  }
}
