import CofferVault

extension Row: RandomAccessCollection {
  /// The position of a column in a row.
  public struct Index: Strideable, Sendable {
    let offset: Int

    init(_ offset: Int) { self.offset = offset }

    /// Returns the number of columns from this position to another.
    public func distance(to other: Index) -> Int { other.offset - offset }

    /// Returns the position offset by `n` columns.
    public func advanced(by n: Int) -> Index { Index(offset + n) }

    /// Returns whether the positions are equal.
    public static func == (lhs: Index, rhs: Index) -> Bool { lhs.offset == rhs.offset }

    /// Returns whether `lhs` is left of `rhs`.
    public static func < (lhs: Index, rhs: Index) -> Bool { lhs.offset < rhs.offset }
  }

  /// A column's name and its value.
  public typealias Element = (String, DatabaseValue)

  /// The position of the leftmost column.
  public var startIndex: Index { Index(0) }

  /// The position after the rightmost column.
  public var endIndex: Index { Index(count) }

  /// The name and the value of the column at the position.
  public subscript(position: Index) -> (String, DatabaseValue) {
    checkIndex(position.offset)
    return (layout.columnNames[position.offset], databaseValue(at: position.offset))
  }
}

extension Row: ExpressibleByDictionaryLiteral {
  /// Creates a row with columns in the order of the literal; a name can occur twice.
  public convenience init(
    dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...
  ) {
    self.init(
      columnNames: elements.map(\.0), values: elements.map { $0.1?.databaseValue ?? .null })
  }
}

extension Row: Hashable {
  /// Returns whether two rows have equal columns, values, scopes and prefetched rows.
  ///
  /// The columns must be in the same order. Values are compared as by ``DatabaseValue``: 1 equals
  /// 1.0. Columns that an adapter hides are ignored.
  public static func == (lhs: Row, rhs: Row) -> Bool {
    if lhs === rhs { return true }
    let (left, right) = (lhs.layout, rhs.layout)
    guard left === right || left.columnNames == right.columnNames else { return false }
    for index in 0..<left.count where lhs.databaseValue(at: index) != rhs.databaseValue(at: index) {
      return false
    }
    let (leftScopes, rightScopes) = (lhs.scopes, rhs.scopes)
    guard leftScopes.count == rightScopes.count else { return false }
    for (name, row) in leftScopes where rightScopes[name] != row { return false }
    return lhs.prefetchedRows == rhs.prefetchedRows
  }

  /// Hashes the names and values of the columns.
  public func hash(into hasher: inout Hasher) {
    let names = layout.columnNames
    hasher.combine(names)
    for index in names.indices { hasher.combine(databaseValue(at: index)) }
  }
}
