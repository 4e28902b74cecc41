import CofferCore

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible, SQLValue._Base == String {
  // MARK: Parts

  /// Returns a condition that the text begins with a prefix.
  ///
  /// The comparison is by bytes: it is case sensitive, and distinguishes composed from decomposed
  /// characters.
  ///
  /// ```swift
  /// Player.filter { $0.name.hasPrefix("A") }  // "name" GLOB 'A*'
  /// ```
  ///
  /// SQLite can use an index on the column that has the `BINARY` collation.
  /// - Parameter prefix: Literal text, without wildcards.
  public func hasPrefix(_ prefix: String) -> TypedPredicate {
    // A pattern would end at NUL.
    guard !prefix.utf8.contains(0) else { return hasBytes(1, prefix) }
    return TypedPredicate(sqlExpression.glob(prefix.escapedForGlob + "*"))
  }

  /// Returns a condition that the text ends with a suffix, compared by bytes.
  /// - Parameter suffix: Literal text, without wildcards.
  public func hasSuffix(_ suffix: String) -> TypedPredicate {
    // To a pattern, the text would end at NUL.
    suffix.isEmpty ? hasPrefix("") : hasBytes(nil, suffix)
  }

  /// Returns the condition that the text has the bytes of a part from a position on, or at its end.
  ///
  /// The length is SQLite's, since the database can store its texts in UTF-16.
  private func hasBytes(_ start: Int?, _ part: String) -> TypedPredicate {
    let part = cast(part.sqlExpression, as: .blob)
    let length = length(part)
    let text = cast(sqlExpression, as: .blob)
    let bytes = start.map { [text, $0.sqlExpression, length] } ?? [text, -length]
    return TypedPredicate(SQLExpression(.function("SUBSTR", bytes)) == part)
  }

  /// Returns a condition that the text contains a part, compared by bytes: `INSTR(text, part) > 0`.
  /// - Parameter part: Literal text, without wildcards.
  public func contains(_ part: String) -> TypedPredicate {
    TypedPredicate(SQLExpression(.function("INSTR", [sqlExpression, part.sqlExpression])) > 0)
  }

  // MARK: Patterns

  /// Returns `text LIKE pattern`: `%` matches any text, `_` one character.
  ///
  /// The comparison ignores the case of ASCII letters.
  /// - Parameter escape: The escape character; the pattern character after it is literal.
  public func like(_ pattern: String, escape: String? = nil) -> TypedPredicate {
    TypedPredicate(sqlExpression.like(pattern, escape: escape))
  }

  /// Returns `text LIKE pattern`: `%` matches any text, `_` one character.
  public func like<Pattern: SQLTypedExpressible>(
    _ pattern: Pattern, escape: String? = nil
  ) -> TypedPredicate
  where Pattern.SQLValue: DatabaseValueConvertible, Pattern.SQLValue._Base == String {
    TypedPredicate(sqlExpression.like(pattern, escape: escape))
  }

  /// Returns `text GLOB pattern`, which is case sensitive.
  ///
  /// `*` matches any text, `?` one character, and `[a-z]` one character of a set.
  public func glob(_ pattern: String) -> TypedPredicate {
    TypedPredicate(sqlExpression.glob(pattern))
  }

  // MARK: Case

  /// The text with the first letter of each word in upper case, converted by Swift.
  public var capitalized: TypedExpression<SQLValue> { TypedExpression(sqlExpression.capitalized) }

  /// The text in lower case, converted by Swift for all of Unicode.
  public var lowercased: TypedExpression<SQLValue> { TypedExpression(sqlExpression.lowercased) }

  /// The text in upper case, converted by Swift for all of Unicode.
  public var uppercased: TypedExpression<SQLValue> { TypedExpression(sqlExpression.uppercased) }

  /// The ``capitalized`` text by the rules of the current locale.
  public var localizedCapitalized: TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.localizedCapitalized)
  }

  /// The ``lowercased`` text by the rules of the current locale.
  public var localizedLowercased: TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.localizedLowercased)
  }

  /// The ``uppercased`` text by the rules of the current locale.
  public var localizedUppercased: TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.localizedUppercased)
  }
}

extension String {
  /// A `GLOB` pattern that matches only this text.
  fileprivate var escapedForGlob: String {
    guard utf8.contains(where: { "*?[".utf8.contains($0) }) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "*", "?", "[": result += "[\(scalar)]"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
