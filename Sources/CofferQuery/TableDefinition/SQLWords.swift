import CofferCore

extension String {
  /// The string as the name of a collation or a function in SQL, quoted only if necessary.
  var sqlWord: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy {
        $0 == UInt8(ascii: "_") || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF)
      }
    return isPlain && !(0x30...0x39).contains(utf8.first ?? 0x30) ? self : quotedDatabaseIdentifier
  }

  /// The string as the type of a column or of a `CAST`.
  ///
  /// It can have several words, and numbers in parentheses.
  /// - Throws: ``DatabaseError`` for a text that wouldn't end where the type does.
  var sqlType: String {
    get throws {
      var text = self
      var depth = 0
      let isType = text.withUTF8 { utf8 in
        SQLTokenizer(utf8).allSatisfy { token in
          switch token.kind {
          case .leftParenthesis: depth += 1
          case .rightParenthesis: depth -= 1
          case .comma: return depth > 0
          case .semicolon, .comment, .illegal, .parameter: return false
          default: break
          }
          return depth >= 0
        }
      }
      // SQL ends at a NUL.
      guard isType, depth == 0, !self.utf8.contains(0) else {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE, message: "not the name of a type: \(self)",
          hint: "A type is a word or several, as in VARCHAR(20).")
      }
      return self
    }
  }
}
