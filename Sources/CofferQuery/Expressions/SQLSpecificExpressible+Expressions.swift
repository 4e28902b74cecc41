import CofferCore

extension SQLSpecificExpressible {
  // MARK: Orders

  /// In ascending order: `ASC`. NULL comes first.
  public var asc: SQLOrdering { SQLOrdering(sqlExpression, .ascending) }

  /// In descending order: `DESC`. NULL comes last.
  public var desc: SQLOrdering { SQLOrdering(sqlExpression, .descending) }

  /// In ascending order, NULL at the end: `ASC NULLS LAST`, from SQLite 3.30 on.
  public var ascNullsLast: SQLOrdering { SQLOrdering(sqlExpression, .ascending, nulls: .last) }

  /// In descending order, NULL at the beginning: `DESC NULLS FIRST`, from SQLite
  /// 3.30 on.
  public var descNullsFirst: SQLOrdering {
    SQLOrdering(sqlExpression, .descending, nulls: .first)
  }

  // MARK: Names

  /// The expression, selected under a name: `expression AS "key"`.
  public func forKey(_ key: String) -> SQLSelection { SQLSelection(sqlExpression, name: key) }

  /// The expression, selected under the name of a coding key.
  public func forKey(_ key: some CodingKey) -> SQLSelection { forKey(key.stringValue) }

  // MARK: Text

  /// `expression LIKE pattern`: `%` stands for any text, `_` for one character.
  ///
  /// Case doesn't count for the letters of ASCII.
  /// - Parameter escape: A character that makes the next one of the pattern stand
  ///   for itself.
  /// - Note: <https://www.sqlite.org/lang_expr.html#like>
  public func like(
    _ pattern: some SQLExpressible, escape: (any SQLExpressible)? = nil
  ) -> SQLExpression {
    match(.like, pattern, escape: escape)
  }

  /// `expression GLOB pattern`: `*` stands for any text, `?` for one character,
  /// `[a-z]` for one of several. Case counts.
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

  /// The text with the first letter of each word in upper case, by Swift.
  public var capitalized: SQLExpression { DatabaseFunction.capitalize(sqlExpression) }

  /// The text in lower case, by Swift, of all alphabets.
  public var lowercased: SQLExpression { DatabaseFunction.lowercase(sqlExpression) }

  /// The text in upper case, by Swift, of all alphabets.
  public var uppercased: SQLExpression { DatabaseFunction.uppercase(sqlExpression) }

  /// As ``capitalized``, by the rules of the current locale.
  public var localizedCapitalized: SQLExpression {
    DatabaseFunction.localizedCapitalize(sqlExpression)
  }

  /// As ``lowercased``, by the rules of the current locale.
  public var localizedLowercased: SQLExpression {
    DatabaseFunction.localizedLowercase(sqlExpression)
  }

  /// As ``uppercased``, by the rules of the current locale.
  public var localizedUppercased: SQLExpression {
    DatabaseFunction.localizedUppercase(sqlExpression)
  }

  // MARK: Collations

  /// The expression, compared by a collation: `expression COLLATE NOCASE`.
  ///
  /// The collation of a comparison, a list or a range is that of its left side.
  public func collating(_ collation: Database.CollationName) -> SQLExpression {
    sqlExpression.collated(by: collation.rawValue)
  }

  /// The expression, compared by a collation.
  public func collating(_ collation: DatabaseCollation) -> SQLExpression {
    sqlExpression.collated(by: collation.name.collationSQL)
  }
}

extension SQLExpression {
  /// The expression with a collation where SQLite applies it.
  ///
  /// Behind a list or a range, it would apply to nothing, or to the upper bound alone.
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
  /// A collation's name as SQL: quoted where it has to be.
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
  /// A call of the function.
  ///
  /// ```swift
  /// let distance = DatabaseFunction("distance", argumentCount: 2) { … }
  /// Place.order { distance($0.x, $0.y) }
  /// ```
  public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
    SQLExpression(.function(name.collationSQL, arguments.map(\.sqlExpression)))
  }
}
