/// A cursor that derives its elements lazily from another cursor.
///
/// ``Cursor/map(_:)``, ``Cursor/filter(_:)`` and similar methods return it. Each element costs an
/// indirect call and no memory. After an error, the cursor is at its end.
public final class LazyCursor<Base: Cursor, Element>: AnyCursor<Element> {
  @inlinable
  init(step: @escaping () throws -> Element?) { super.init(step) }

  @inlinable
  init(
    step: @escaping () throws -> Element?,
    each: @escaping ((Element) throws -> Void) throws -> Void
  ) {
    super.init(step, each: each)
  }
}

/// The result of ``Cursor/map(_:)``.
public typealias MapCursor<Base: Cursor, Element> = LazyCursor<Base, Element>
/// The result of ``Cursor/filter(_:)``.
public typealias FilterCursor<Base: Cursor> = LazyCursor<Base, Base.Element>
/// The result of ``Cursor/enumerated()``.
public typealias EnumeratedCursor<Base: Cursor> = LazyCursor<Base, (Int, Base.Element)>
/// The result of ``Cursor/dropFirst(_:)``.
public typealias DropFirstCursor<Base: Cursor> = LazyCursor<Base, Base.Element>
/// The result of ``Cursor/drop(while:)``.
public typealias DropWhileCursor<Base: Cursor> = LazyCursor<Base, Base.Element>
/// The result of ``Cursor/prefix(_:)``.
public typealias PrefixCursor<Base: Cursor> = LazyCursor<Base, Base.Element>
/// The result of ``Cursor/prefix(while:)``.
public typealias PrefixWhileCursor<Base: Cursor> = LazyCursor<Base, Base.Element>
/// The result of ``Cursor/joined()`` and `flatMap`.
public typealias FlattenCursor<Base: Cursor> = LazyCursor<Base, Base.Element.Element>
where Base.Element: Cursor

extension Cursor {
  /// Returns a cursor over the transformed elements.
  @inlinable
  public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
    LazyCursor(step: { try self.next().map(transform) }) { body in
      try self.forEach { try body(transform($0)) }
    }
  }

  /// Returns a cursor over the elements that satisfy the predicate.
  @inlinable
  public func filter(
    _ isIncluded: @escaping (Element) throws -> Bool
  ) -> FilterCursor<Self> {
    LazyCursor(step: { try self.first(where: isIncluded) }) { body in
      try self.forEach { if try isIncluded($0) { try body($0) } }
    }
  }

  /// Returns a cursor over the non-nil results of `transform`.
  @inlinable
  public func compactMap<T>(
    _ transform: @escaping (Element) throws -> T?
  ) -> MapCursor<FilterCursor<MapCursor<Self, T?>>, T> {
    LazyCursor(step: {
      while let element = try self.next() {
        if let result = try transform(element) { return result }
      }
      return nil
    }) { body in
      try self.forEach { element in
        if let result = try transform(element) { try body(result) }
      }
    }
  }

  /// Returns a cursor over pairs of a 0-based offset and an element.
  @inlinable
  public func enumerated() -> EnumeratedCursor<Self> {
    var offset = 0
    return LazyCursor(step: {
      guard let element = try self.next() else { return nil }
      defer { offset += 1 }
      return (offset, element)
    }) { body in
      try self.forEach { element in
        defer { offset += 1 }
        try body((offset, element))
      }
    }
  }

  // MARK: Some of the elements

  /// Returns a cursor that skips the first `count` elements.
  /// - Precondition: `count` is not negative.
  @inlinable
  public func dropFirst(_ count: Int) -> DropFirstCursor<Self> {
    precondition(count >= 0, "count is negative")
    var remaining = count
    return LazyCursor(step: {
      while remaining > 0 {
        guard try self.next() != nil else { return nil }
        remaining -= 1
      }
      return try self.next()
    }) { body in
      try self.forEach { element in
        if remaining > 0 { remaining -= 1 } else { try body(element) }
      }
    }
  }

  /// Returns a cursor that skips the first element.
  @inlinable
  public func dropFirst() -> DropFirstCursor<Self> {
    dropFirst(1)
  }

  /// Returns a cursor that skips elements while they satisfy the predicate.
  @inlinable
  public func drop(
    while predicate: @escaping (Element) throws -> Bool
  ) -> DropWhileCursor<Self> {
    var isDropping = true
    return LazyCursor(step: {
      guard isDropping else { return try self.next() }
      defer { isDropping = false }
      return try self.first { try !predicate($0) }
    }) { body in
      try self.forEach { element in
        if isDropping { isDropping = try predicate(element) }
        if !isDropping { try body(element) }
      }
    }
  }

  /// Returns a cursor over the first `maxLength` elements; it reads no further element.
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

  /// Returns a cursor over elements while they satisfy the predicate.
  ///
  /// The first element that doesn't is consumed.
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

  /// Returns a cursor over the concatenated sequences that `transform` returns.
  @inlinable
  public func flatMap<SegmentOfResult: Sequence>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<Self, AnyCursor<SegmentOfResult.Element>>> {
    flatMap { try AnyCursor(transform($0)) }
  }

  /// Returns a cursor over the concatenated cursors that `transform` returns.
  @inlinable
  public func flatMap<SegmentOfResult: Cursor>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<Self, SegmentOfResult>> {
    map(transform).joined()
  }
}

extension Cursor where Element: Cursor {
  /// Returns a cursor over the concatenated elements of the cursors.
  @inlinable
  public func joined() -> FlattenCursor<Self> {
    var inner: Element?
    return LazyCursor(step: {
      repeat {
        if let element = try inner?.next() { return element }
        inner = try self.next()
      } while inner != nil
      return nil
    }) { body in
      try inner?.forEach(body)
      try self.forEach { try $0.forEach(body) }
    }
  }
}

extension Cursor where Element: Sequence {
  /// Returns a cursor over the concatenated elements of the sequences.
  @inlinable
  public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
    flatMap { $0 }
  }
}

extension Sequence {
  /// Returns a cursor over the concatenated cursors that `transform` returns, called lazily.
  @inlinable
  public func flatMap<SegmentOfResult: Cursor>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<AnyCursor<Element>, SegmentOfResult>> {
    AnyCursor(self).flatMap(transform)
  }
}
