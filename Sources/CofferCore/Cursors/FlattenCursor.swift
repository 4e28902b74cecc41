/// A cursor over the elements of a cursor's cursors, from ``Cursor/joined()``
/// and `flatMap`.
public final class FlattenCursor<Base: Cursor>: Cursor where Base.Element: Cursor {
  @usableFromInline let base: Base
  @usableFromInline var inner: Base.Element?
  @usableFromInline var isDone = false

  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  /// The next element, or nil after the last one of the last cursor.
  @inlinable
  public func next() throws -> Base.Element.Element? {
    if isDone { return nil }
    do {
      while true {
        if let element = try inner?.next() { return element }
        inner = try base.next()
        if inner == nil { break }
      }
      isDone = true
      return nil
    } catch {
      isDone = true
      inner = nil
      throw error
    }
  }
}

@available(*, unavailable)
extension FlattenCursor: Sendable {}

extension Cursor {
  /// The elements of the sequences that `transform` makes, one after the other.
  @inlinable
  public func flatMap<SegmentOfResult: Sequence>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<Self, AnyCursor<SegmentOfResult.Element>>> {
    flatMap { try AnyCursor(transform($0)) }
  }

  /// The elements of the cursors that `transform` makes, one after the other.
  @inlinable
  public func flatMap<SegmentOfResult: Cursor>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<Self, SegmentOfResult>> {
    map(transform).joined()
  }
}

extension Cursor where Element: Cursor {
  /// The elements of the cursors, one after the other.
  @inlinable
  public func joined() -> FlattenCursor<Self> {
    FlattenCursor(self)
  }
}

extension Cursor where Element: Sequence {
  /// The elements of the sequences, one after the other.
  @inlinable
  public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
    flatMap { $0 }
  }
}

extension Cursor where Element: StringProtocol {
  /// All strings that are left in one, with the separator between them.
  @inlinable
  public func joined(separator: String = "") throws -> String {
    guard let first = try next() else { return "" }
    var result = String(first)
    try forEach { element in
      result += separator
      result += element
    }
    return result
  }
}

extension Sequence {
  /// The elements of the cursors that `transform` makes, one after the other,
  /// as they are read.
  @inlinable
  public func flatMap<SegmentOfResult: Cursor>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<AnyCursor<Element>, SegmentOfResult>> {
    AnyCursor(self).flatMap(transform)
  }
}
