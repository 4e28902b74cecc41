import CofferVault

/// The columns of a statement's rows: their names, and the index of each name.
///
/// It is immutable, so that rows copied on one thread can be read on another.
@usableFromInline
package final class RowLayout: Sendable {
  @usableFromInline package let columnNames: [String]
  // SAFETY: the memory is written before other threads can see it, and never again.
  @safe @usableFromInline nonisolated(unsafe) let names: Names

  package init(columnNames: [String]) {
    self.columnNames = columnNames
    names = Names(columnNames)
  }

  deinit { names.deallocate() }

  package static let empty = RowLayout(columnNames: [])

  @usableFromInline package var count: Int { columnNames.count }

  /// Returns the index of the leftmost column with this name.
  ///
  /// ASCII letters match case-insensitively.
  ///
  /// - Complexity: O(columns).
  @usableFromInline
  package func index(ofColumn name: String) -> Int? {
    names.index(of: name) ?? columnNames.firstIndex { $0.isSameName(as: name) }
  }
}

extension RowLayout {
  /// The names as the two words of each `String`, in separate memory.
  ///
  /// Equal words mean equal text. A text of up to 15 bytes is stored in its words, so that it has
  /// the same words everywhere; longer ones are found by comparing texts.
  ///
  /// - Invariant: The layout keeps the strings and the memory alive.
  @usableFromInline
  @safe struct Names {
    /// The number of columns, followed by the words of their names.
    ///
    /// A name that repeats an earlier column's has zero words, which no string has.
    @safe @usableFromInline let start: UnsafeRawPointer

    fileprivate init(_ columnNames: [String]) {
      let memory = UnsafeMutableRawPointer.allocate(
        byteCount: 16 + columnNames.count * 16, alignment: 16)
      unsafe memory.storeBytes(of: columnNames.count, as: Int.self)
      var known: Set<SQLName> = []
      for (index, name) in columnNames.enumerated() {
        let isFirst =
          columnNames.count > 16
          ? known.insert(SQLName(name)).inserted
          : !columnNames[..<index].contains { $0.isSameName(as: name) }
        unsafe memory.storeBytes(
          of: isFirst ? TextWords(name) : .none, toByteOffset: 16 + index * 16, as: TextWords.self)
      }
      start = UnsafeRawPointer(memory)
    }

    /// Creates a view of names from an address that ``start`` had.
    @inlinable
    @safe init(at start: UnsafeRawPointer) { self.start = unsafe start }

    fileprivate func deallocate() { unsafe start.deallocate() }

    @inlinable var count: Int { unsafe start.load(as: Int.self) }

    /// Returns the column whose name has the same words.
    ///
    /// Nil does not mean that there is no such column.
    @inlinable
    func index(of name: String) -> Int? {
      let words = TextWords(name)
      for index in 0..<count {
        let other = unsafe start.load(fromByteOffset: 16 &+ index &* 16, as: TextWords.self)
        if other == words { return index }
      }
      return nil
    }
  }
}
