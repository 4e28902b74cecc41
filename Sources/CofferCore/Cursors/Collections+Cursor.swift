extension RangeReplaceableCollection {
  /// The elements that are left in the cursor.
  @inlinable
  public init<C: Cursor>(_ cursor: C) throws where C.Element == Element {
    self.init()
    try append(contentsOf: cursor)
  }

  /// The elements that are left in the cursor.
  /// - Parameter minimumCapacity: A number of elements to reserve memory for.
  @inlinable
  public init<C: Cursor>(
    _ cursor: C, minimumCapacity: Int
  ) throws where C.Element == Element {
    self.init()
    reserveCapacity(minimumCapacity)
    try append(contentsOf: cursor)
  }

  /// Appends the elements that are left in the cursor; those read before an
  /// error stay.
  @inlinable
  public mutating func append<C: Cursor>(contentsOf cursor: C) throws where C.Element == Element {
    try cursor.forEach { append($0) }
  }
}

extension Set {
  /// The elements that are left in the cursor.
  @inlinable
  public init<C: Cursor>(_ cursor: C) throws where C.Element == Element {
    self.init()
    try formUnion(cursor)
  }

  /// The elements that are left in the cursor.
  /// - Parameter minimumCapacity: A number of elements to reserve memory for.
  @inlinable
  public init<C: Cursor>(
    _ cursor: C, minimumCapacity: Int
  ) throws where C.Element == Element {
    self.init(minimumCapacity: minimumCapacity)
    try formUnion(cursor)
  }

  /// The elements of the set and those that are left in the cursor.
  @inlinable
  public func union<C: Cursor>(_ other: C) throws -> Set<Element> where C.Element == Element {
    var result = self
    try result.formUnion(other)
    return result
  }

  /// Inserts the elements that are left in the cursor; those read before an
  /// error stay.
  @inlinable
  public mutating func formUnion<C: Cursor>(_ other: C) throws where C.Element == Element {
    try other.forEach { insert($0) }
  }

  /// The elements of the set that are also left in the cursor.
  @inlinable
  public func intersection<C: Cursor>(
    _ other: C
  ) throws -> Set<Element> where C.Element == Element {
    var result = Set<Element>()
    try other.forEach { element in
      // The set's own instance, as in the standard library.
      if let index = firstIndex(of: element) { result.insert(self[index]) }
    }
    return result
  }

  /// Removes the elements that are not left in the cursor; none on an error.
  @inlinable
  public mutating func formIntersection<C: Cursor>(_ other: C) throws where C.Element == Element {
    self = try intersection(other)
  }
}

extension Dictionary {
  /// The elements that are left in the cursor, in arrays by the key that
  /// `keyForValue` gives.
  @inlinable
  public init<C: Cursor>(
    grouping values: C, by keyForValue: (C.Element) throws -> Key
  ) throws where Value == [C.Element] {
    try self.init(minimumCapacity: 0, grouping: values, by: keyForValue)
  }

  /// The elements that are left in the cursor, in arrays by the key that
  /// `keyForValue` gives.
  /// - Parameter minimumCapacity: A number of keys to reserve memory for.
  @inlinable
  public init<C: Cursor>(
    minimumCapacity: Int, grouping values: C, by keyForValue: (C.Element) throws -> Key
  ) throws where Value == [C.Element] {
    self.init(minimumCapacity: minimumCapacity)
    try values.forEach { value in
      try self[keyForValue(value), default: []].append(value)
    }
  }

  /// The keys and values that are left in the cursor.
  /// - Precondition: No key comes twice.
  @inlinable
  public init<C: Cursor>(
    uniqueKeysWithValues keysAndValues: C
  ) throws where C.Element == (Key, Value) {
    try self.init(minimumCapacity: 0, uniqueKeysWithValues: keysAndValues)
  }

  /// The keys and values that are left in the cursor.
  /// - Parameter minimumCapacity: A number of keys to reserve memory for.
  /// - Precondition: No key comes twice.
  @inlinable
  public init<C: Cursor>(
    minimumCapacity: Int, uniqueKeysWithValues keysAndValues: C
  ) throws where C.Element == (Key, Value) {
    self.init(minimumCapacity: minimumCapacity)
    try keysAndValues.forEach { key, value in
      let previous = updateValue(value, forKey: key)
      precondition(previous == nil, "a key comes twice")
    }
  }
}
