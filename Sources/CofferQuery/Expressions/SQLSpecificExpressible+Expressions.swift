import CofferCore

extension SQLSpecificExpressible {
  // MARK: Orders

  /// The ascending ordering `ASC`; NULL comes first.
  public var asc: SQLOrdering { SQLOrdering(sqlExpression, .ascending) }

  /// The descending ordering `DESC`; NULL comes last.
  public var desc: SQLOrdering { SQLOrdering(sqlExpression, .descending) }

  /// The ascending ordering with NULL last, `ASC NULLS LAST`.
  ///
  /// Requires SQLite 3.30 or later.
  public var ascNullsLast: SQLOrdering { SQLOrdering(sqlExpression, .ascending, nulls: .last) }

  /// The descending ordering with NULL first, `DESC NULLS FIRST`.
  ///
  /// Requires SQLite 3.30 or later.
  public var descNullsFirst: SQLOrdering {
    SQLOrdering(sqlExpression, .descending, nulls: .first)
  }

  // MARK: Names

  /// Returns the expression selected under a name: `expression AS "key"`.
  public func forKey(_ key: String) -> SQLSelection { SQLSelection(sqlExpression, name: key) }

  /// Returns the expression selected under the name of a coding key.
  public func forKey(_ key: some CodingKey) -> SQLSelection { forKey(key.stringValue) }

  // MARK: Text

  /// Returns `expression LIKE pattern`: `%` matches any text, `_` one character.
  ///
  /// The comparison ignores the case of ASCII letters.
  /// - Parameter escape: The escape character; the pattern character after it is literal.
  /// - Note: <https://www.sqlite.org/lang_expr.html#like>
  public func like(
    _ pattern: some SQLExpressible, escape: (any SQLExpressible)? = nil
  ) -> SQLExpression {
    match(.like, pattern, escape: escape)
  }

  /// Returns `expression GLOB pattern`, which is case sensitive.
  ///
  /// `*` matches any text, `?` one character, and `[a-z]` one character of a set.
  /// - Note: <https://www.sqlite.org/lang_expr.html#glob>
  public func glob(_ pattern: some SQLExpressible) -> SQLExpression {
    match(.glob, pattern, escape: nil)
  }

  private func match(
    _ symbol: MatchOperator, _ pattern: some SQLExpressible, escape: (any SQLExpressible)?
  ) -> SQLExpression {
    liftingCollation(sqlExpression, pattern.sqlExpression) {
      SQLExpression(
        .match(symbol, $0, $1, escape: escape?.sqlExpression, isNegated: false))
    }
  }

  /// The text with the first letter of each word in upper case, converted by Swift.
  public var capitalized: SQLExpression { DatabaseFunction.capitalize(sqlExpression) }

  /// The text in lower case, converted by Swift for all of Unicode.
  public var lowercased: SQLExpression { DatabaseFunction.lowercase(sqlExpression) }

  /// The text in upper case, converted by Swift for all of Unicode.
  public var uppercased: SQLExpression { DatabaseFunction.uppercase(sqlExpression) }

  /// The ``capitalized`` text by the rules of the current locale.
  public var localizedCapitalized: SQLExpression {
    DatabaseFunction.localizedCapitalize(sqlExpression)
  }

  /// The ``lowercased`` text by the rules of the current locale.
  public var localizedLowercased: SQLExpression {
    DatabaseFunction.localizedLowercase(sqlExpression)
  }

  /// The ``uppercased`` text by the rules of the current locale.
  public var localizedUppercased: SQLExpression {
    DatabaseFunction.localizedUppercase(sqlExpression)
  }

  // MARK: Collations

  /// Returns the expression with a collation: `expression COLLATE NOCASE`.
  ///
  /// On a comparison, a list or a range, the collation applies to the left operand.
  public func collating(_ collation: Database.CollationName) -> SQLExpression {
    sqlExpression.collated(by: collation.rawValue)
  }

  /// Returns the expression with a custom collation.
  public func collating(_ collation: DatabaseCollation) -> SQLExpression {
    sqlExpression.collated(by: collation.name.collationSQL)
  }
}

extension SQLExpression {
  /// Returns the expression with a collation at a place where SQLite applies it.
  ///
  /// After a list, SQLite would ignore it; after a range, it would apply only to the upper bound.
  fileprivate func collated(by collation: String) -> SQLExpression {
    switch expressionNode {
    case .membership(let value, let collection, let isNegated):
      return SQLExpression(
        .membership(value.collated(by: collation), collection, isNegated: isNegated))
    case .between(let value, let lower, let upper, let isNegated):
      return SQLExpression(
        .between(value.collated(by: collation), lower, upper, isNegated: isNegated))
    case .not(let operand): return SQLExpression(.not(operand.collated(by: collation)))
    case .chain(let symbol, let operands) where symbol == .and || symbol == .or:
      return SQLExpression(.chain(symbol, operands.map { $0.collated(by: collation) }))
    default: return SQLExpression(.collated(self, collation))
    }
  }
}

extension String {
  /// The SQL for the name of a collation or function, quoted if necessary.
  fileprivate var collationSQL: String {
    let isWord = utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
        || (0x41...0x5A).contains(byte & 0xDF)
    }
    return isWord && utf8.first.map { !(0x30...0x39).contains($0) } == true
      ? self : quotedDatabaseIdentifier
  }
}

extension DatabaseFunction {
  /// Returns a call of the function.
  ///
  /// ```swift
  /// let distance = DatabaseFunction("distance", argumentCount: 2) { … }
  /// Place.order { distance($0.x, $0.y) }
  /// ```
  public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
    SQLExpression(.function(name.collationSQL, arguments.map(\.sqlExpression)))
  }
}
