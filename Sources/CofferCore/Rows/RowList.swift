import CofferVault

/// Rows that were fetched along with others.
///
/// Most are copied without an object for each: a ``Row`` is made for one who asks for it, and a
/// record is decoded from one object that shows row after row.
@usableFromInline
package struct RowList {
  private enum Storage {
    case rows([Row])
    /// A part of the rows of one fetch.
    case copies(RowCopies, Range<Int>)
  }

  private let storage: Storage

  package init(_ rows: [Row]) { storage = .rows(rows) }

  private init(_ copies: RowCopies, _ range: Range<Int>) { storage = .copies(copies, range) }

  init(_ copies: RowCopies) { self.init(copies, copies.positions.indices) }

  /// The number of rows.
  @usableFromInline
  package var count: Int {
    switch storage {
    case .rows(let rows): rows.count
    case .copies(_, let range): range.count
    }
  }

  /// The rows, each an object of its own.
  package var rows: [Row] {
    switch storage {
    case .rows(let rows): rows
    case .copies(let copies, let range): range.map { copies.row($0) }
    }
  }

  /// The number of columns of each row; 0 without rows.
  package var columnCount: Int {
    switch storage {
    case .rows(let rows): rows.first?.count ?? 0
    case .copies(let copies, _): copies.columnCount
    }
  }

  /// Returns the value of a column in the row at an index; neither is checked.
  package func databaseValue(at column: Int, ofRow index: Int) -> DatabaseValue {
    switch storage {
    case .rows(let rows): rows[index].databaseValue(at: column)
    case .copies(let copies, let range):
      copies.positions[range.lowerBound + index].image.databaseValue(copies.baseIndex(column))
    }
  }

  /// Returns the rows of each group, in their order.
  ///
  /// - Parameters:
  ///   - groups: The group of each row; nil for none.
  ///   - count: The number of groups.
  package func grouped(by groups: [Int?], count: Int) -> [RowList] {
    switch storage {
    case .rows(let rows):
      var lists = [[Row]](repeating: [], count: count)
      for (row, group) in zip(rows, groups) { if let group { lists[group].append(row) } }
      return lists.map { RowList($0) }
    case .copies(let copies, let range):
      var ends = [Int](repeating: 0, count: count)
      for case let group? in groups { ends[group] += 1 }
      var end = 0
      // The start of each group, then moved to its end by each of its rows.
      for group in 0..<count { (ends[group], end) = (end, end + ends[group]) }
      let starts = ends
      var positions = Array(copies.positions.prefix(end))
      for (position, group) in zip(copies.positions[range], groups) {
        guard let group else { continue }
        positions[ends[group]] = position
        ends[group] += 1
      }
      let sorted = RowCopies(copies, positions)
      return zip(starts, ends).map { RowList(sorted, $0..<$1) }
    }
  }

  // MARK: One object for all rows

  /// Makes `row` show the row at an index, as an object that keeps its plan.
  ///
  /// It stays the same object, unless something else has a reference to it.
  /// - Parameter row: Nil at first; pass it to ``end(_:)`` at the end.
  @usableFromInline
  package func show(_ index: Int, in row: inout Row?) {
    switch storage {
    case .rows(let rows): row = rows[index]
    case .copies(let copies, let range): copies.show(range.lowerBound + index, in: &row)
    }
  }

  /// Ends the use of an object by ``show(_:in:)``.
  @usableFromInline
  package func end(_ row: consuming Row?) {
    if case .copies(let copies, _) = storage { copies.idleRow = row }
  }

  /// Calls `body` with each row, which is valid during the call.
  @inlinable
  package func forEach(_ body: (Row) throws -> Void) rethrows {
    var shown: Row?
    defer { end(shown) }
    for index in 0..<count {
      show(index, in: &shown)
      if let shown { try body(shown) }
    }
  }
}

extension RowList: Equatable {
  @usableFromInline
  package static func == (lhs: RowList, rhs: RowList) -> Bool { lhs.rows == rhs.rows }
}

/// The copied rows of one fetch.
final class RowCopies {
  /// The place of a row; valid as long as the copies.
  @safe struct Position {
    @safe fileprivate let block: Unmanaged<RowBlock>
    @safe fileprivate let start: UnsafeRawPointer

    fileprivate var image: RowImage { RowImage(start: start) }
  }

  fileprivate let layout: RowLayout
  fileprivate let adaptation: RowAdaptation?
  private let blocks: [RowBlock]
  fileprivate let positions: [Position]
  /// The object that shows rows, while nothing uses it.
  @safe @exclusivity(unchecked) fileprivate var idleRow: Row?

  /// Executes a statement and copies its rows.
  init(_ statement: Statement, adapter: (any RowAdapter)?) throws {
    var (blocks, positions): ([RowBlock], [Position]) = ([], [])
    var adaptation: RowAdaptation?
    try Row.forEachImage(statement, adapter) { block, start, other in
      if blocks.last !== block { blocks.append(block) }
      positions.append(unsafe Position(block: .passUnretained(block), start: start))
      adaptation = other
    }
    layout = statement.layout
    (self.adaptation, self.blocks, self.positions) = (adaptation, blocks, positions)
  }

  /// Creates a list of some of the rows of another one.
  fileprivate init(_ copies: RowCopies, _ positions: [Position]) {
    (layout, adaptation, blocks) = (copies.layout, copies.adaptation, copies.blocks)
    self.positions = positions
  }

  fileprivate var columnCount: Int { (adaptation?.layout ?? layout).count }

  fileprivate func baseIndex(_ column: Int) -> Int { adaptation?.baseIndices[column] ?? column }

  fileprivate func row(_ index: Int) -> Row {
    let position = positions[index]
    // SAFETY: `blocks` has the block.
    return unsafe Row(
      block: position.block.takeUnretainedValue(), start: position.start, adaptation: adaptation)
  }

  fileprivate func show(_ index: Int, in row: inout Row?) {
    if row == nil { row = idleRow.take() }
    guard isKnownUniquelyReferenced(&row), let row else {
      row = self.row(index)
      row?.showsManyRows = true
      return
    }
    let position = positions[index]
    unsafe position.block._withUnsafeGuaranteedRef { row.show(in: $0, at: position.start) }
  }
}

/// Rows aren't Sendable.
@available(*, unavailable)
extension RowCopies: Sendable {}
