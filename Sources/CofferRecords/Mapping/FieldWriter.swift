import CofferCore

/// Gives the columns of a mapping their values, one after the other.
public struct FieldWriter {
  @usableFromInline var container: PersistenceContainer
  @usableFromInline let names: ContiguousArray<String>
  @usableFromInline var column = 0

  @inlinable @inline(__always)
  init(_ container: consuming PersistenceContainer, _ names: ContiguousArray<String>) {
    self.container = container
    self.names = names
  }

  /// Gives the next column its value.
  @inlinable @inline(__always)
  public mutating func set<Value: DatabaseValueConvertible>(_ value: Value) {
    container.set(value, forColumn: names[column])
    column &+= 1
  }
}

/// It is valid inside the function that receives it.
@available(*, unavailable)
extension FieldWriter: Sendable {}
