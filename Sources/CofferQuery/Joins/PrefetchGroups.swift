import CofferCore

/// The distinct key values of parent rows, for fetching their associated rows.
struct PrefetchGroups {
  /// The group numbers by the parents' values in one column or several.
  ///
  /// Values with NULL are omitted.
  private enum Values {
    /// The most frequent case, and the fastest.
    case integers([Int64: Int])
    case values([DatabaseValue: Int])
    case tuples([[DatabaseValue]: Int])
  }

  private let values: Values
  /// The group number of each parent; nil for none.
  private let groups: [Int?]
  let count: Int

  /// Whether no parent can have associated rows.
  var isEmpty: Bool { count == 0 }

  /// Groups parents by their values.
  /// - Parameter columns: The indices of the columns by which associated rows are found.
  init(_ parents: [Row], by columns: [Int]) throws {
    if columns.count == 1 {
      let values = parents.map { $0.databaseValue(at: columns[0]) }
      let integers = values.compactMap { Int64.exactly($0) }
      if integers.count == values.count {
        let (numbers, groups) = Self.numbered(integers.map(Optional.some))
        self.init(values: .integers(numbers), groups: groups, count: numbers.count)
      } else {
        let (numbers, groups) = Self.numbered(values.map { $0.isNull ? nil : $0 })
        self.init(values: .values(numbers), groups: groups, count: numbers.count)
      }
    } else {
      let (numbers, groups) = Self.numbered(
        parents.map { parent -> [DatabaseValue]? in
          let tuple = columns.map { parent.databaseValue(at: $0) }
          return tuple.contains(where: \.isNull) ? nil : tuple
        })
      self.init(values: .tuples(numbers), groups: groups, count: numbers.count)
    }
  }

  private init(values: Values, groups: [Int?], count: Int) {
    self.values = values
    self.groups = groups
    self.count = count
  }

  private static func numbered<Key: Hashable>(_ keys: [Key?]) -> ([Key: Int], [Int?]) {
    var numbers = [Key: Int](minimumCapacity: keys.count)
    let groups = keys.map { key -> Int? in
      guard let key else { return nil }
      if let number = numbers[key] { return number }
      let number = numbers.count
      numbers[key] = number
      return number
    }
    return (numbers, groups)
  }

  // MARK: The query

  /// Returns a condition that columns have the values of one of the parents.
  ///
  /// For many parents with several columns each, it also includes rows that combine values of
  /// different parents and belong to none; and for integers without gaps, rows with other numbers
  /// between them.
  func condition(on columns: [String]) -> SQLExpression {
    switch values {
    case .integers(let numbers):
      let sorted = numbers.keys.sorted()
      if let first = sorted.first, let last = sorted.last,
        sorted.count > SQLRenderer.longestWrittenList,
        last.subtractingReportingOverflow(first) == (Int64(sorted.count - 1), false)
      {
        // Two comparisons for each row, instead of a search in the list.
        return (first...last).contains(Column(columns[0]))
      }
      return isContained(columns[0], sorted.map(\.databaseValue))
    case .values(let numbers):
      return isContained(columns[0], numbers.keys.sorted(by: DatabaseValue.isBefore))
    case .tuples(let numbers):
      let tuples = numbers.keys.sorted {
        $0.lexicographicallyPrecedes($1, by: DatabaseValue.isBefore)
      }
      if tuples.count > SQLRenderer.longestWrittenList {
        return columns.indices.map { index in
          isContained(
            columns[index], Set(tuples.map { $0[index] }).sorted(by: DatabaseValue.isBefore))
        }.joined(operator: .and)
      }
      return tuples.map { tuple in
        zip(columns, tuple).map { Column($0) == $1 }.joined(operator: .and)
      }.joined(operator: .or)
    }
  }

  private func isContained(_ column: String, _ values: [DatabaseValue]) -> SQLExpression {
    Column(column).sqlExpression.isContained(in: SQLCollection(values))
  }

  // MARK: Compared keys

  /// Keys of some parents that are compared in the same way.
  struct Part: Sendable {
    let keys: ParentKeys
    let comparisons: [KeyColumn.Comparison]
    let numbers: [Int]
  }

  /// The distinct keys, by group number.
  private var keys: [[DatabaseValue]] {
    var keys = [[DatabaseValue]](repeating: [], count: count)
    switch values {
    case .integers(let numbers): for (key, number) in numbers { keys[number] = [key.databaseValue] }
    case .values(let numbers): for (key, number) in numbers { keys[number] = [key] }
    case .tuples(let numbers): for (key, number) in numbers { keys[number] = key }
    }
    return keys
  }

  /// Whether the rows that SQLite finds equal have the same values.
  func areEqualAsStored(_ columns: [KeyColumn]) -> Bool {
    switch values {
    case .integers: columns[0].isEqualAsStored(0.databaseValue)
    case .values(let numbers): numbers.keys.allSatisfy(columns[0].isEqualAsStored)
    case .tuples(let numbers):
      numbers.keys.allSatisfy { zip(columns, $0).allSatisfy { $0.isEqualAsStored($1) } }
    }
  }

  /// Returns the keys in parts, each for a query.
  func parts(_ columns: [KeyColumn]) -> [Part] {
    let keys = keys
    let limit = ParentKeys.maximumCount(columnCount: columns.count)
    let kinds = Dictionary(grouping: keys.indices) { index in
      zip(columns, keys[index]).map { $0.comparison(with: $1) }
    }
    return kinds.flatMap { comparisons, numbers in
      stride(from: 0, to: numbers.count, by: limit).map { start in
        let numbers = Array(numbers[start..<min(start + limit, numbers.count)])
        return Part(
          keys: ParentKeys(numbers.map { (number: $0, key: keys[$0]) }), comparisons: comparisons,
          numbers: numbers)
      }
    }
  }

  /// Returns a condition that columns equal the key of a parent.
  func comparisons(with columns: [KeyColumn]) -> SQLExpression {
    let conditions = keys.map { key in
      zip(columns, key).map { column, value in
        column.condition(
          Column(column.name).sqlExpression, value.sqlExpression, column.comparison(with: value))
      }.joined(operator: .and)
    }
    return conditions.joined(operator: .or)
  }

  // MARK: The rows

  /// Returns the rows of each group, by the columns that identify the parent.
  ///
  /// - Parameter columnCount: Their number.
  func rows(_ children: RowList, columnCount: Int) -> [RowList] {
    // These columns are last, since they follow the selection of the first table.
    let columns = max(children.columnCount - columnCount, 0)..<children.columnCount
    // Rows of the same parent are often adjacent.
    var last: (key: DatabaseValue, group: Int?)?
    return children.grouped(
      by: (0..<children.count).map { index in
        let key = children.databaseValue(at: columns.lowerBound, ofRow: index)
        if columnCount == 1, let last, last.key == key { return last.group }
        let group = group(of: children, index, key, columns)
        last = (key, group)
        return group
      }, count: count)
  }

  /// Returns the rows of each group, by the number of the group in the last column.
  func numberedRows(_ children: RowList) -> [RowList] {
    children.grouped(
      by: (0..<children.count).map { index in
        Int.fromDatabaseValue(children.databaseValue(at: children.columnCount - 1, ofRow: index))
      }, count: count)
  }

  /// Stores the rows of each group in its parents.
  func store(_ lists: [RowList], under keyPath: [String], in parents: [Row]) {
    for (parent, group) in zip(parents, groups) {
      var prefetched = parent.prefetched ?? Row.PrefetchedRowsView()
      prefetched.setRows(group.map { lists[$0] } ?? RowList([]), forKeyPath: keyPath)
      parent.prefetched = prefetched
    }
  }

  /// Returns the number of the group that a row belongs to; nil for none.
  /// - Parameter key: The first value that identifies the parent.
  private func group(
    of children: RowList, _ index: Int, _ key: DatabaseValue, _ columns: Range<Int>
  ) -> Int? {
    switch values {
    case .integers(let numbers):
      // Not in a separate function, which crashes the optimizer of Swift 6.
      switch key.storage {
      case .int64(let integer): return numbers[integer]
      case .double(let real): return Int64(exactly: real).flatMap { numbers[$0] }
      default: return nil
      }
    case .values(let numbers): return numbers[key]
    case .tuples(let numbers):
      return numbers[columns.map { children.databaseValue(at: $0, ofRow: index) }]
    }
  }
}

extension Int64 {
  /// Returns the integer if the value is one.
  fileprivate static func exactly(_ value: DatabaseValue) -> Int64? {
    switch value.storage {
    case .int64(let integer): integer
    default: nil
    }
  }
}

extension DatabaseValue {
  /// Returns whether a value comes first in an order that makes the SQL deterministic.
  fileprivate static func isBefore(_ lhs: DatabaseValue, _ rhs: DatabaseValue) -> Bool {
    switch (lhs.storage, rhs.storage) {
    case (.int64(let lhs), .int64(let rhs)): lhs < rhs
    case (.double(let lhs), .double(let rhs)): lhs < rhs
    case (.string(let lhs), .string(let rhs)): lhs.utf8.lexicographicallyPrecedes(rhs.utf8)
    case (.blob(let lhs), .blob(let rhs)): lhs.lexicographicallyPrecedes(rhs)
    default: lhs.rank < rhs.rank
    }
  }

  private var rank: Int {
    switch storage {
    case .null: 0
    case .int64, .double: 1
    case .string: 2
    case .blob: 3
    }
  }
}
