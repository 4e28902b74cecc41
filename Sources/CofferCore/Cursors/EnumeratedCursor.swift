/// A cursor over the elements of another one and their offsets, from
/// ``Cursor/enumerated()``.
public final class EnumeratedCursor<Base: Cursor>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline var offset = 0

  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  /// The next offset and element, or nil after the last one.
  @inlinable
  public func next() throws -> (Int, Base.Element)? {
    guard let element = try base.next() else { return nil }
    defer { offset += 1 }
    return (offset, element)
  }

  /// Calls `body` with each offset and element that is left.
  @inlinable
  public func forEach(_ body: ((Int, Base.Element)) throws -> Void) throws {
    try base.forEach { element in
      defer { offset += 1 }
      try body((offset, element))
    }
  }
}

@available(*, unavailable)
extension EnumeratedCursor: Sendable {}

extension Cursor {
  /// The elements with their offsets, which count from zero.
  @inlinable
  public func enumerated() -> EnumeratedCursor<Self> {
    EnumeratedCursor(self)
  }
}
