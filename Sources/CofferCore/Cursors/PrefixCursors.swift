/// A cursor over the first elements of another one, from ``Cursor/prefix(_:)``.
public final class PrefixCursor<Base: Cursor>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline var remaining: Int

  @inlinable
  init(_ base: Base, maxLength: Int) {
    self.base = base
    self.remaining = maxLength
  }

  /// The next element, or nil after the last one. No element beyond the prefix
  /// is read.
  @inlinable
  public func next() throws -> Base.Element? {
    if remaining == 0 { return nil }
    remaining -= 1
    return try base.next()
  }
}

@available(*, unavailable)
extension PrefixCursor: Sendable {}

/// A cursor up to the first element of another one that fails a test, from
/// ``Cursor/prefix(while:)``.
public final class PrefixWhileCursor<Base: Cursor>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline let predicate: (Base.Element) throws -> Bool
  @usableFromInline var isDone = false

  @inlinable
  init(_ base: Base, predicate: @escaping (Base.Element) throws -> Bool) {
    self.base = base
    self.predicate = predicate
  }

  /// The next element, or nil after the last one. The element that fails the
  /// test is read and lost.
  @inlinable
  public func next() throws -> Base.Element? {
    if isDone { return nil }
    do {
      if let element = try base.next(), try predicate(element) { return element }
      isDone = true
      return nil
    } catch {
      isDone = true
      throw error
    }
  }
}

@available(*, unavailable)
extension PrefixWhileCursor: Sendable {}

extension Cursor {
  /// At most the first `maxLength` elements; no further one is read.
  /// - Precondition: `maxLength` is not negative.
  @inlinable
  public func prefix(_ maxLength: Int) -> PrefixCursor<Self> {
    precondition(maxLength >= 0, "maxLength is negative")
    return PrefixCursor(self, maxLength: maxLength)
  }

  /// The elements before the first one that fails the test.
  @inlinable
  public func prefix(
    while predicate: @escaping (Element) throws -> Bool
  ) -> PrefixWhileCursor<Self> {
    PrefixWhileCursor(self, predicate: predicate)
  }

  /// At most the last `maxLength` elements, in their order.
  /// - Complexity: O(`maxLength`) memory; reads all that is left.
  /// - Precondition: `maxLength` is not negative.
  @inlinable
  public func suffix(_ maxLength: Int) throws -> [Element] {
    precondition(maxLength >= 0, "maxLength is negative")
    if maxLength == 0 {
      try forEach { _ in }
      return []
    }
    var ring: [Element] = []
    var oldest = 0
    try forEach { element in
      if ring.count < maxLength {
        ring.append(element)
      } else {
        ring[oldest] = element
        oldest = oldest + 1 == maxLength ? 0 : oldest + 1
      }
    }
    return oldest == 0 ? ring : Array(ring[oldest...] + ring[..<oldest])
  }
}
