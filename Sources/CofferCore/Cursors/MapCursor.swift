/// A cursor over the transformed elements of another one, from ``Cursor/map(_:)``.
public final class MapCursor<Base: Cursor, Element>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline let transform: (Base.Element) throws -> Element
  @usableFromInline var isDone = false

  @inlinable
  init(_ base: Base, transform: @escaping (Base.Element) throws -> Element) {
    self.base = base
    self.transform = transform
  }

  /// The next element, or nil after the last one.
  @inlinable
  public func next() throws -> Element? {
    if isDone { return nil }
    do {
      if let element = try base.next() { return try transform(element) }
      isDone = true
      return nil
    } catch {
      isDone = true
      throw error
    }
  }

  /// Calls `body` with each element that is left.
  @inlinable
  public func forEach(_ body: (Element) throws -> Void) throws {
    if isDone { return }
    defer { isDone = true }
    try base.forEach { try body(transform($0)) }
  }
}

@available(*, unavailable)
extension MapCursor: Sendable {}

extension Cursor {
  /// The elements, transformed as they are read.
  @inlinable
  public func map<T>(
    _ transform: @escaping (Element) throws -> T
  ) -> MapCursor<Self, T> {
    MapCursor(self, transform: transform)
  }

  /// The transformed elements, without those that `transform` makes nil.
  @inlinable
  public func compactMap<T>(
    _ transform: @escaping (Element) throws -> T?
  ) -> MapCursor<FilterCursor<MapCursor<Self, T?>>, T> {
    // The filter lets no nil through.
    map(transform).filter { $0 != nil }.map { $0! }
  }
}
