/// The columns of a statement's rows: their names, and where a name is found.
///
/// Immutable, so that rows copied on one thread can be read on another.
@usableFromInline
package final class RowLayout: Sendable {
  @usableFromInline package let columnNames: [String]
  // SAFETY: the memory is written before anybody else sees it, and never again.
  @usableFromInline nonisolated(unsafe) let names: Names

  package init(columnNames: [String]) {
    self.columnNames = columnNames
    names = Names(columnNames)
  }

  deinit { names.deallocate() }

  package static let empty = RowLayout(columnNames: [])

  @usableFromInline package var count: Int { columnNames.count }

  /// The leftmost column of that name; ASCII letters match in either case.
  ///
  /// - Complexity: O(columns).
  @usableFromInline
  package func index(ofColumn name: String) -> Int? {
    names.index(of: name) ?? RowLayout.index(of: name, in: columnNames)
  }

  private static func index(of name: String, in columnNames: [String]) -> Int? {
    columnNames.firstIndex { $0 == name || RowLayout.matches($0, name) }
  }

  /// As SQLite compares names: bytes, ASCII letters in either case.
  @usableFromInline
  package static func matches(_ lhs: String, _ rhs: String) -> Bool {
    let (lhs, rhs) = (lhs.utf8, rhs.utf8)
    guard lhs.count == rhs.count else { return false }
    return zip(lhs, rhs).allSatisfy { lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }

  /// Text that is the same for names that match.
  fileprivate static func folded(_ name: String) -> String {
    String(decoding: name.utf8.lazy.map(lowercased), as: UTF8.self)
  }
}

extension RowLayout {
  /// The names by the two words that each `String` is made of, in memory of their own.
  ///
  /// Equal words are the same text. A text of up to 15 bytes is in the words, so that it has the
  /// same ones wherever it comes from; longer ones are found by comparing texts.
  ///
  /// - Invariant: The layout keeps the strings and the memory alive.
  @usableFromInline
  struct Names {
    /// The number of columns, and then their words; those of a name that matches an earlier
    /// column's are zero, which no string has.
    @usableFromInline let start: UnsafeRawPointer

    fileprivate init(_ columnNames: [String]) {
      let memory = UnsafeMutableRawPointer.allocate(
        byteCount: 16 + columnNames.count * 16, alignment: 16)
      memory.storeBytes(of: columnNames.count, as: Int.self)
      var known: Set<String> = []
      for (index, name) in columnNames.enumerated() {
        let isFirst =
          columnNames.count > 16
          ? known.insert(RowLayout.folded(name)).inserted
          : !columnNames[..<index].contains { $0 == name || RowLayout.matches($0, name) }
        memory.storeBytes(
          of: isFirst ? TextWords(name) : .none, toByteOffset: 16 + index * 16, as: TextWords.self)
      }
      start = UnsafeRawPointer(memory)
    }

    /// Names at an address that ``start`` had.
    @inlinable
    init(at start: UnsafeRawPointer) { self.start = start }

    fileprivate func deallocate() { start.deallocate() }

    @inlinable var count: Int { start.load(as: Int.self) }

    /// The column whose name has the same words; nil where none has, which doesn't mean that
    /// there is no such column.
    @inlinable
    func index(of name: String) -> Int? {
      let words = TextWords(name)
      for index in 0..<count
      where start.load(fromByteOffset: 16 &+ index &* 16, as: TextWords.self) == words {
        return index
      }
      return nil
    }
  }
}
