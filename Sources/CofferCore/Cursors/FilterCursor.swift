/// A cursor over those elements of another one that pass a test, from
/// ``Cursor/filter(_:)``.
public final class FilterCursor<Base: Cursor>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline let isIncluded: (Base.Element) throws -> Bool
  @usableFromInline var isDone = false

  @inlinable
  init(_ base: Base, isIncluded: @escaping (Base.Element) throws -> Bool) {
    self.base = base
    self.isIncluded = isIncluded
  }

  /// The next element, or nil after the last one.
  @inlinable
  public func next() throws -> Base.Element? {
    if isDone { return nil }
    do {
      while let element = try base.next() {
        if try isIncluded(element) { return element }
      }
      isDone = true
      return nil
    } catch {
      isDone = true
      throw error
    }
  }

  /// Calls `body` with each element that is left.
  @inlinable
  public func forEach(_ body: (Base.Element) throws -> Void) throws {
    if isDone { return }
    defer { isDone = true }
    try base.forEach { element in
      if try isIncluded(element) { try body(element) }
    }
  }
}

@available(*, unavailable)
extension FilterCursor: Sendable {}

extension Cursor {
  /// The elements that pass the test, found as they are read.
  @inlinable
  public func filter(
    _ isIncluded: @escaping (Element) throws -> Bool
  ) -> FilterCursor<Self> {
    FilterCursor(self, isIncluded: isIncluded)
  }
}
