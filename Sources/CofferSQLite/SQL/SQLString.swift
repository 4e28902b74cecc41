import Glibc

/// SQL text that is compared and hashed by its bytes.
///
/// Swift compares strings by canonical equivalence, but SQLite's names and literals are bytes: a
/// dictionary keyed by `String` would merge different statements.
package struct SQLString: Hashable, Sendable {
  package let string: String

  package init(_ string: String) {
    self.string = string
  }

  package static func == (lhs: SQLString, rhs: SQLString) -> Bool {
    var lhs = lhs.string
    var rhs = rhs.string
    return lhs.withUTF8 { left in
      rhs.withUTF8 { right in
        guard left.count == right.count else { return false }
        guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else {
          return true
        }
        // SAFETY: both buffers hold left.count bytes.
        return unsafe memcmp(leftStart, rightStart, left.count) == 0
      }
    }
  }

  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Returns whether only spaces, comments and semicolons remain, and no statement.
  ///
  /// False if there is a NUL byte, which hides the rest from SQLite.
  /// - Parameter offset: The end of a statement, in UTF-8 bytes.
  package func isBlank(from offset: Int = 0) -> Bool {
    var string = string
    return string.withUTF8 { utf8 in
      var end = offset
      for token in SQLTokenizer(utf8, from: offset) {
        guard !token.isSignificant || token.kind == .semicolon else { return false }
        end = token.range.upperBound
      }
      return end >= utf8.count
    }
  }
}
