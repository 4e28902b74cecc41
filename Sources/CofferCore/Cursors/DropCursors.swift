/// A cursor without the first elements of another one, from
/// ``Cursor/dropFirst(_:)``.
public final class DropFirstCursor<Base: Cursor>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline var remaining: Int

  @inlinable
  init(_ base: Base, count: Int) {
    self.base = base
    self.remaining = count
  }

  /// The next element, or nil after the last one.
  @inlinable
  public func next() throws -> Base.Element? {
    while remaining > 0 {
      guard try base.next() != nil else {
        remaining = 0
        return nil
      }
      remaining -= 1
    }
    return try base.next()
  }
}

@available(*, unavailable)
extension DropFirstCursor: Sendable {}

/// A cursor from the first element of another one that fails a test, from
/// ``Cursor/drop(while:)``.
public final class DropWhileCursor<Base: Cursor>: Cursor {
  @usableFromInline let base: Base
  /// Nil once an element has failed the test.
  @usableFromInline var predicate: ((Base.Element) throws -> Bool)?
  @usableFromInline var isDone = false

  @inlinable
  init(_ base: Base, predicate: @escaping (Base.Element) throws -> Bool) {
    self.base = base
    self.predicate = predicate
  }

  /// The next element, or nil after the last one.
  @inlinable
  public func next() throws -> Base.Element? {
    if isDone { return nil }
    do {
      while let element = try base.next() {
        guard let predicate else { return element }
        if try !predicate(element) {
          self.predicate = nil
          return element
        }
      }
      isDone = true
      return nil
    } catch {
      isDone = true
      throw error
    }
  }
}

@available(*, unavailable)
extension DropWhileCursor: Sendable {}

extension Cursor {
  /// The elements after the first `count` ones.
  /// - Precondition: `count` is not negative.
  @inlinable
  public func dropFirst(_ count: Int) -> DropFirstCursor<Self> {
    precondition(count >= 0, "count is negative")
    return DropFirstCursor(self, count: count)
  }

  /// The elements after the first one.
  @inlinable
  public func dropFirst() -> DropFirstCursor<Self> {
    dropFirst(1)
  }

  /// The elements from the first one that fails the test, that one included.
  @inlinable
  public func drop(
    while predicate: @escaping (Element) throws -> Bool
  ) -> DropWhileCursor<Self> {
    DropWhileCursor(self, predicate: predicate)
  }

  /// The elements that are left, without the last `count` ones.
  /// - Precondition: `count` is not negative.
  @inlinable
  public func dropLast(_ count: Int) throws -> [Element] {
    precondition(count >= 0, "count is negative")
    var elements = try Array(self)
    elements.removeLast(Swift.min(count, elements.count))
    return elements
  }

  /// The elements that are left, without the last one.
  @inlinable
  public func dropLast() throws -> [Element] {
    try dropLast(1)
  }
}
