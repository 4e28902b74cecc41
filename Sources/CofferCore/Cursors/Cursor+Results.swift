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
    try max { try areInIncreasingOrder($1, $0) }
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
