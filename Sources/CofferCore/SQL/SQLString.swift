import Glibc

/// SQL text that is equal to another only where their bytes are.
///
/// Swift's strings are equal across Unicode's normal forms, SQLite's names and
/// literals are not: a dictionary keyed by `String` would merge statements
/// that differ.
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
        return memcmp(leftStart, rightStart, left.count) == 0
      }
    }
  }

  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Whether nothing but spaces, comments and semicolons is left, so that no
  /// further statement follows; false where a NUL byte would hide what does.
  /// - Parameter offset: The byte of UTF-8 to begin at, where a statement ended.
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
