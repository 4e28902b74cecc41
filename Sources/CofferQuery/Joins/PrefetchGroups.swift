import CofferCore

/// The values by which rows are found that are fetched along with others.
struct PrefetchGroups {
  /// The parents' values: of one column, or of several. Those with a NULL are none.
  private enum Values {
    /// The most frequent case, and the fastest.
    case integers([Int64: Int])
    case values([DatabaseValue: Int])
    case tuples([[DatabaseValue]: Int])
  }

  private let values: Values
  /// The number of the group that each parent belongs to; nil for none.
  private let groups: [Int?]
  private let count: Int

  /// Whether no parent can have any rows.
  var isEmpty: Bool { count == 0 }

  /// - Parameter columns: The parents' columns that other rows are found by.
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

  /// Whether columns have the values of one of the parents.
  ///
  /// Of many parents with several columns each, rows come that belong to none: values that are
  /// those of different parents.
  func condition(on columns: [String]) -> SQLExpression {
    switch values {
    case .integers(let numbers):
      return isContained(columns[0], numbers.keys.sorted().map(\.databaseValue))
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

  // MARK: The rows

  /// Stores each row with its parents.
  ///
  /// - Parameter columnCount: How many columns tell the parent.
  func store(
    _ children: [Row], columnCount: Int, under keyPath: [String], in parents: [Row]
  ) throws {
    var rows = [[Row]](repeating: [], count: count)
    if let first = children.first {
      // They come last: an adapter shows them last of the first table's columns.
      let columns = first.count - columnCount..<first.count
      // Rows of one parent often come one after the other.
      var last: (key: DatabaseValue, group: Int)?
      for child in children {
        let key = child.databaseValue(at: columns.lowerBound)
        if columnCount == 1, let last, last.key == key {
          rows[last.group].append(child)
        } else if let group = group(of: child, key, columns) {
          rows[group].append(child)
          last = (key, group)
        }
      }
    }
    for (parent, group) in zip(parents, groups) {
      var prefetched = parent.prefetched ?? Row.PrefetchedRowsView()
      prefetched.setRows(group.map { rows[$0] } ?? [], forKeyPath: keyPath)
      parent.prefetched = prefetched
    }
  }

  /// - Parameter key: The first value that tells the parent.
  private func group(of child: Row, _ key: DatabaseValue, _ columns: Range<Int>) -> Int? {
    switch values {
    case .integers(let numbers):
      // No function in between: the optimizer of Swift 6 breaks down over it.
      guard case .int64(let integer) = key.storage else { return nil }
      return numbers[integer]
    case .values(let numbers): return numbers[key]
    case .tuples(let numbers): return numbers[columns.map { child.databaseValue(at: $0) }]
    }
  }
}

extension Int64 {
  /// The integer of a value that is one.
  fileprivate static func exactly(_ value: DatabaseValue) -> Int64? {
    switch value.storage {
    case .int64(let integer): integer
    default: nil
    }
  }
}

extension DatabaseValue {
  /// An order in which SQL with the values in it is always the same.
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
