/// A cursor over what is made of another one as it is read, from ``Cursor/map(_:)``,
/// ``Cursor/filter(_:)`` and the like.
///
/// Each element costs an indirect call, and no memory. After an error, the cursor is at its end.
public final class LazyCursor<Base: Cursor, Element>: AnyCursor<Element> {
  @inlinable
  init(step: @escaping () throws -> Element?) { super.init(step) }
}

/// The cursor of ``Cursor/map(_:)``.
public typealias MapCursor<Base: Cursor, Element> = LazyCursor<Base, Element>
/// The cursor of ``Cursor/filter(_:)``.
public typealias FilterCursor<Base: Cursor> = LazyCursor<Base, Base.Element>
/// The cursor of ``Cursor/enumerated()``.
public typealias EnumeratedCursor<Base: Cursor> = LazyCursor<Base, (Int, Base.Element)>
/// The cursor of ``Cursor/dropFirst(_:)``.
public typealias DropFirstCursor<Base: Cursor> = LazyCursor<Base, Base.Element>
/// The cursor of ``Cursor/drop(while:)``.
public typealias DropWhileCursor<Base: Cursor> = LazyCursor<Base, Base.Element>
/// The cursor of ``Cursor/prefix(_:)``.
public typealias PrefixCursor<Base: Cursor> = LazyCursor<Base, Base.Element>
/// The cursor of ``Cursor/prefix(while:)``.
public typealias PrefixWhileCursor<Base: Cursor> = LazyCursor<Base, Base.Element>
/// The cursor of ``Cursor/joined()`` and `flatMap`.
public typealias FlattenCursor<Base: Cursor> = LazyCursor<Base, Base.Element.Element>
where Base.Element: Cursor

extension Cursor {
  /// The elements, transformed as they are read.
  @inlinable
  public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
    LazyCursor { try self.next().map(transform) }
  }

  /// The elements that pass the test, found as they are read.
  @inlinable
  public func filter(
    _ isIncluded: @escaping (Element) throws -> Bool
  ) -> FilterCursor<Self> {
    LazyCursor { try self.first(where: isIncluded) }
  }

  /// The transformed elements, without those that `transform` makes nil.
  @inlinable
  public func compactMap<T>(
    _ transform: @escaping (Element) throws -> T?
  ) -> MapCursor<FilterCursor<MapCursor<Self, T?>>, T> {
    LazyCursor {
      while let element = try self.next() {
        if let result = try transform(element) { return result }
      }
      return nil
    }
  }

  /// The elements with their offsets, which count from zero.
  @inlinable
  public func enumerated() -> EnumeratedCursor<Self> {
    var offset = 0
    return LazyCursor {
      guard let element = try self.next() else { return nil }
      defer { offset += 1 }
      return (offset, element)
    }
  }

  // MARK: Some of the elements

  /// The elements after the first `count` ones.
  /// - Precondition: `count` is not negative.
  @inlinable
  public func dropFirst(_ count: Int) -> DropFirstCursor<Self> {
    precondition(count >= 0, "count is negative")
    var remaining = count
    return LazyCursor {
      while remaining > 0 {
        guard try self.next() != nil else { return nil }
        remaining -= 1
      }
      return try self.next()
    }
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
    var isDropping = true
    return LazyCursor {
      guard isDropping else { return try self.next() }
      defer { isDropping = false }
      return try self.first { try !predicate($0) }
    }
  }

  /// At most the first `maxLength` elements; no further one is read.
  /// - Precondition: `maxLength` is not negative.
  @inlinable
  public func prefix(_ maxLength: Int) -> PrefixCursor<Self> {
    precondition(maxLength >= 0, "maxLength is negative")
    var remaining = maxLength
    return LazyCursor {
      guard remaining > 0 else { return nil }
      remaining -= 1
      return try self.next()
    }
  }

  /// The elements before the first one that fails the test, which is read and lost.
  @inlinable
  public func prefix(
    while predicate: @escaping (Element) throws -> Bool
  ) -> PrefixWhileCursor<Self> {
    LazyCursor {
      guard let element = try self.next(), try predicate(element) else { return nil }
      return element
    }
  }

  // MARK: Several cursors in one

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
    var inner: Element?
    return LazyCursor {
      repeat {
        if let element = try inner?.next() { return element }
        inner = try self.next()
      } while inner != nil
      return nil
    }
  }
}

extension Cursor where Element: Sequence {
  /// The elements of the sequences, one after the other.
  @inlinable
  public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
    flatMap { $0 }
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
