extension Cursor {
  /// Whether the cursor is at its end. Consumes one element otherwise.
  @inlinable
  public var isEmpty: Bool {
    get throws { try next() == nil }
  }

  /// Returns whether an element satisfies the predicate. Stops reading after that element.
  @inlinable
  public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
    try first(where: predicate) != nil
  }

  /// Returns the first element that satisfies the predicate. Stops reading after it.
  @inlinable
  public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
    while let element = try next() {
      if try predicate(element) { return element }
    }
    return nil
  }

  /// Returns the maximum, the first of equal ones; nil if no element remains.
  /// - Parameter areInIncreasingOrder: Returns whether its first argument is ordered before the
  ///   second.
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

  /// Returns the minimum, the first of equal ones; nil if no element remains.
  /// - Parameter areInIncreasingOrder: Returns whether its first argument is ordered before the
  ///   second.
  @inlinable
  public func min(
    by areInIncreasingOrder: (Element, Element) throws -> Bool
  ) throws -> Element? {
    try max { try areInIncreasingOrder($1, $0) }
  }

  /// Combines the remaining elements from first to last.
  @inlinable
  public func reduce<Result>(
    _ initialResult: Result,
    _ nextPartialResult: (Result, Element) throws -> Result
  ) throws -> Result {
    var result = initialResult
    try forEach { result = try nextPartialResult(result, $0) }
    return result
  }

  /// Combines the remaining elements from first to last, into a mutable value.
  @inlinable
  public func reduce<Result>(
    into initialResult: Result,
    _ updateAccumulatingResult: (inout Result, Element) throws -> Void
  ) throws -> Result {
    var result = initialResult
    try forEach { try updateAccumulatingResult(&result, $0) }
    return result
  }

  /// Returns the remaining elements except the last `count`.
  /// - Precondition: `count` is not negative.
  @inlinable
  public func dropLast(_ count: Int) throws -> [Element] {
    precondition(count >= 0, "count is negative")
    var elements = try Array(self)
    elements.removeLast(Swift.min(count, elements.count))
    return elements
  }

  /// Returns the remaining elements except the last one.
  @inlinable
  public func dropLast() throws -> [Element] {
    try dropLast(1)
  }

  /// Returns the last `maxLength` elements, or fewer, in their order.
  /// - Complexity: Reads all remaining elements; keeps `maxLength` of them in memory.
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
  /// Returns whether the element is among the remaining ones. Stops reading after it.
  @inlinable
  public func contains(_ element: Element) throws -> Bool {
    try contains { $0 == element }
  }
}

extension Cursor where Element: Comparable {
  /// Returns the maximum; nil if no element remains.
  @inlinable
  public func max() throws -> Element? {
    try max(by: <)
  }

  /// Returns the minimum; nil if no element remains.
  @inlinable
  public func min() throws -> Element? {
    try min(by: <)
  }
}

extension Cursor where Element: StringProtocol {
  /// Concatenates the remaining strings, with a separator between them.
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
