extension Cursor {
  /// Whether no element is left. Reads one element, which is lost.
  @inlinable
  public var isEmpty: Bool {
    get throws { try next() == nil }
  }

  /// Whether an element passes the test; the elements after it are left.
  @inlinable
  public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
    try first(where: predicate) != nil
  }

  /// The first element that passes the test; the elements after it are left.
  @inlinable
  public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
    while let element = try next() {
      if try predicate(element) { return element }
    }
    return nil
  }

  /// The greatest element, the first one of equals; nil where none is left.
  /// - Parameter areInIncreasingOrder: Whether its first argument comes
  ///   before the second one.
  @inlinable
  public func max(
    by areInIncreasingOrder: (Element, Element) throws -> Bool
  ) throws -> Element? {
    guard var result = try next() else { return nil }
    try forEach { element in
      if try areInIncreasingOrder(result, element) { result = element }
    }
    return result
  }

  /// The least element, the first one of equals; nil where none is left.
  /// - Parameter areInIncreasingOrder: Whether its first argument comes
  ///   before the second one.
  @inlinable
  public func min(
    by areInIncreasingOrder: (Element, Element) throws -> Bool
  ) throws -> Element? {
    guard var result = try next() else { return nil }
    try forEach { element in
      if try areInIncreasingOrder(element, result) { result = element }
    }
    return result
  }

  /// The elements combined, from left to right.
  @inlinable
  public func reduce<Result>(
    _ initialResult: Result,
    _ nextPartialResult: (Result, Element) throws -> Result
  ) throws -> Result {
    var result = initialResult
    try forEach { result = try nextPartialResult(result, $0) }
    return result
  }

  /// The elements combined, from left to right, in place.
  @inlinable
  public func reduce<Result>(
    into initialResult: Result,
    _ updateAccumulatingResult: (inout Result, Element) throws -> Void
  ) throws -> Result {
    var result = initialResult
    try forEach { try updateAccumulatingResult(&result, $0) }
    return result
  }
}

extension Cursor where Element: Equatable {
  /// Whether the element is among those that are left; the ones after it stay.
  @inlinable
  public func contains(_ element: Element) throws -> Bool {
    try contains { $0 == element }
  }
}

extension Cursor where Element: Comparable {
  /// The greatest element, or nil where none is left.
  @inlinable
  public func max() throws -> Element? {
    try max(by: <)
  }

  /// The least element, or nil where none is left.
  @inlinable
  public func min() throws -> Element? {
    try min(by: <)
  }
}
