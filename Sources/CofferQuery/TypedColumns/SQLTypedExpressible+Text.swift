import CofferCore

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible, SQLValue._Base == String {
  // MARK: Parts

  /// Whether the text begins with another one, byte by byte: case counts, and so
  /// does the difference between a composed letter and its parts.
  ///
  /// ```swift
  /// Player.filter { $0.name.hasPrefix("A") }  // "name" GLOB 'A*'
  /// ```
  ///
  /// An index of the column is used, where its collation is the binary one.
  /// - Parameter prefix: The text itself: no character of it stands for others.
  public func hasPrefix(_ prefix: String) -> TypedPredicate {
    TypedPredicate(sqlExpression.glob(prefix.escapedForGlob + "*"))
  }

  /// Whether the text ends with another one, byte by byte.
  /// - Parameter suffix: The text itself: no character of it stands for others.
  public func hasSuffix(_ suffix: String) -> TypedPredicate {
    TypedPredicate(sqlExpression.glob("*" + suffix.escapedForGlob))
  }

  /// Whether another text is in the text, byte by byte: `INSTR(text, part) > 0`.
  /// - Parameter part: The text itself: no character of it stands for others.
  public func contains(_ part: String) -> TypedPredicate {
    TypedPredicate(SQLExpression(.function("INSTR", [sqlExpression, part.sqlExpression])) > 0)
  }

  // MARK: Patterns

  /// `text LIKE pattern`: `%` stands for any text, `_` for one character.
  ///
  /// Case doesn't count for the letters of ASCII.
  /// - Parameter escape: A character that makes the next one of the pattern stand
  ///   for itself.
  public func like(_ pattern: String, escape: String? = nil) -> TypedPredicate {
    TypedPredicate(sqlExpression.like(pattern, escape: escape))
  }

  /// `text LIKE pattern`: `%` stands for any text, `_` for one character.
  public func like<Pattern: SQLTypedExpressible>(
    _ pattern: Pattern, escape: String? = nil
  ) -> TypedPredicate
  where Pattern.SQLValue: DatabaseValueConvertible, Pattern.SQLValue._Base == String {
    TypedPredicate(sqlExpression.like(pattern, escape: escape))
  }

  /// `text GLOB pattern`: `*` stands for any text, `?` for one character, `[a-z]`
  /// for one of several. Case counts.
  public func glob(_ pattern: String) -> TypedPredicate {
    TypedPredicate(sqlExpression.glob(pattern))
  }

  // MARK: Case

  /// The text with the first letter of each word in upper case, by Swift.
  public var capitalized: TypedExpression<SQLValue> { TypedExpression(sqlExpression.capitalized) }

  /// The text in lower case, by Swift, of all alphabets.
  public var lowercased: TypedExpression<SQLValue> { TypedExpression(sqlExpression.lowercased) }

  /// The text in upper case, by Swift, of all alphabets.
  public var uppercased: TypedExpression<SQLValue> { TypedExpression(sqlExpression.uppercased) }

  /// As ``capitalized``, by the rules of the current locale.
  public var localizedCapitalized: TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.localizedCapitalized)
  }

  /// As ``lowercased``, by the rules of the current locale.
  public var localizedLowercased: TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.localizedLowercased)
  }

  /// As ``uppercased``, by the rules of the current locale.
  public var localizedUppercased: TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.localizedUppercased)
  }
}

extension String {
  /// A pattern of `GLOB` that only the text itself matches.
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
