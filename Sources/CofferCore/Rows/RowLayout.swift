/// The columns of a statement's rows: their names, and where a name is found.
///
/// Immutable, so that rows copied on one thread can be read on another.
@usableFromInline
package final class RowLayout: Sendable {
  @usableFromInline package let columnNames: [String]

  package init(columnNames: [String]) { self.columnNames = columnNames }

  package static let empty = RowLayout(columnNames: [])

  @usableFromInline package var count: Int { columnNames.count }

  /// The leftmost column of that name; ASCII letters match in either case.
  ///
  /// - Complexity: O(columns).
  @usableFromInline
  package func index(ofColumn name: String) -> Int? {
    for index in columnNames.indices where columnNames[index] == name { return index }
    for index in columnNames.indices
    where RowLayout.matches(columnNames[index], name) { return index }
    return nil
  }

  /// As SQLite compares names: bytes, ASCII letters in either case.
  package static func matches(_ lhs: String, _ rhs: String) -> Bool {
    let (lhs, rhs) = (lhs.utf8, rhs.utf8)
    guard lhs.count == rhs.count else { return false }
    return zip(lhs, rhs).allSatisfy { lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
}
