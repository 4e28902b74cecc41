extension RangeReplaceableCollection {
  /// Creates a collection of the remaining elements of a cursor.
  @inlinable
  public init<C: Cursor>(_ cursor: C) throws where C.Element == Element {
    self.init()
    try append(contentsOf: cursor)
  }

  /// Creates a collection of the remaining elements of a cursor.
  /// - Parameter minimumCapacity: The number of elements to reserve memory for.
  @inlinable
  public init<C: Cursor>(
    _ cursor: C, minimumCapacity: Int
  ) throws where C.Element == Element {
    self.init()
    reserveCapacity(minimumCapacity)
    try append(contentsOf: cursor)
  }

  /// Appends the remaining elements of a cursor; after an error, those read before it stay.
  @inlinable
  public mutating func append<C: Cursor>(contentsOf cursor: C) throws where C.Element == Element {
    try cursor.forEach { append($0) }
  }
}

extension Set {
  /// Creates a set of the remaining elements of a cursor.
  @inlinable
  public init<C: Cursor>(_ cursor: C) throws where C.Element == Element {
    self.init()
    try formUnion(cursor)
  }

  /// Creates a set of the remaining elements of a cursor.
  /// - Parameter minimumCapacity: The number of elements to reserve memory for.
  @inlinable
  public init<C: Cursor>(
    _ cursor: C, minimumCapacity: Int
  ) throws where C.Element == Element {
    self.init(minimumCapacity: minimumCapacity)
    try formUnion(cursor)
  }

  /// Returns a set of this set's elements and the remaining elements of the cursor.
  @inlinable
  public func union<C: Cursor>(_ other: C) throws -> Set<Element> where C.Element == Element {
    var result = self
    try result.formUnion(other)
    return result
  }

  /// Inserts the remaining elements of a cursor; after an error, those read before it stay.
  @inlinable
  public mutating func formUnion<C: Cursor>(_ other: C) throws where C.Element == Element {
    try other.forEach { insert($0) }
  }

  /// Returns this set's elements that are also among the remaining elements of the cursor.
  @inlinable
  public func intersection<C: Cursor>(
    _ other: C
  ) throws -> Set<Element> where C.Element == Element {
    var result = Set<Element>()
    try other.forEach { element in
      // Keeps the element of this set rather than the equal one, as the standard library does.
      if let index = firstIndex(of: element) { result.insert(self[index]) }
    }
    return result
  }

  /// Removes the elements that the cursor doesn't contain; leaves the set unchanged after an error.
  @inlinable
  public mutating func formIntersection<C: Cursor>(_ other: C) throws where C.Element == Element {
    self = try intersection(other)
  }
}

extension Dictionary {
  /// Groups the remaining elements of a cursor by the keys that `keyForValue` returns.
  @inlinable
  public init<C: Cursor>(
    grouping values: C, by keyForValue: (C.Element) throws -> Key
  ) throws where Value == [C.Element] {
    try self.init(minimumCapacity: 0, grouping: values, by: keyForValue)
  }

  /// Groups the remaining elements of a cursor by the keys that `keyForValue` returns.
  /// - Parameter minimumCapacity: The number of keys to reserve memory for.
  @inlinable
  public init<C: Cursor>(
    minimumCapacity: Int, grouping values: C, by keyForValue: (C.Element) throws -> Key
  ) throws where Value == [C.Element] {
    self.init(minimumCapacity: minimumCapacity)
    try values.forEach { value in
      try self[keyForValue(value), default: []].append(value)
    }
  }

  /// Creates a dictionary of the remaining keys and values of a cursor.
  /// - Precondition: The keys are unique.
  @inlinable
  public init<C: Cursor>(
    uniqueKeysWithValues keysAndValues: C
  ) throws where C.Element == (Key, Value) {
    try self.init(minimumCapacity: 0, uniqueKeysWithValues: keysAndValues)
  }

  /// Creates a dictionary of the remaining keys and values of a cursor.
  /// - Parameter minimumCapacity: The number of keys to reserve memory for.
  /// - Precondition: The keys are unique.
  @inlinable
  public init<C: Cursor>(
    minimumCapacity: Int, uniqueKeysWithValues keysAndValues: C
  ) throws where C.Element == (Key, Value) {
    self.init(minimumCapacity: minimumCapacity)
    try keysAndValues.forEach { key, value in
      let previous = updateValue(value, forKey: key)
      precondition(previous == nil, "a key occurs twice")
    }
  }
}
