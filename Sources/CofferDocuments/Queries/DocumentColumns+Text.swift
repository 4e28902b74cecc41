import CofferCore
import CofferQuery
import FoundationEssentials

extension DocumentExpression where Value: SQLText {
  /// Whether the text begins with another one, by the property's collation.
  ///
  /// ```swift
  /// books.filter { $0.name.hasPrefix("Moby") }
  /// ```
  ///
  /// It is Swift's `hasPrefix` where no other collation is declared, and goes by bytes for
  /// identifiers and inside of stored structs. An index of the property is used, but for one with a
  /// localized collation, or one of your own. Nil has no prefix.
  /// - Parameter prefix: The text itself: no character of it stands for others.
  public func hasPrefix(_ prefix: String) -> TypedPredicate { parts(.prefix, prefix) }

  /// Whether the text ends with another one, by the property's collation.
  ///
  /// - Parameter suffix: The text itself: no character of it stands for others.
  public func hasSuffix(_ suffix: String) -> TypedPredicate { parts(.suffix, suffix) }

  /// Whether another text is in the text, by the property's collation.
  ///
  /// - Parameter part: The text itself: no character of it stands for others.
  public func contains(_ part: String) -> TypedPredicate { parts(.part, part) }

  private func parts(_ place: TextPlace, _ part: String) -> TypedPredicate {
    TypedPredicate(
      withColumn { column, expression in
        let function = TextFunction.function(place, column.comparing)
        let arguments = column.sqlText()
        let matches = SQLExpression(
          sql: SQL(
            elements: [
              .deferred { db in
                db.ensure(function: function)
                return SQL(
                  sql: "\(function.name.quotedDatabaseIdentifier)(\(arguments), ?)",
                  arguments: [part])
              }
            ]))
        guard place == .prefix, TextFunction.hasOrderOfLetters(column.comparing) else {
          return matches
        }
        // What an index finds; all texts with the prefix are there, and few others.
        let last = part + String(repeating: "\u{10FFFF}", count: 4)
        return SQLExpression(
          .chain(
            .and,
            [
              SQLExpression(.binary(" >= ", expression, part.sqlExpression)),
              SQLExpression(.binary(" <= ", expression, last.sqlExpression)), matches,
            ]))
      })
  }
}

/// Where in a text another one is looked for.
enum TextPlace: String { case prefix, suffix, part }

/// The functions of SQL that look for a text in another one, by a collation.
enum TextFunction {
  /// The function, of two texts; NULL for what isn't text.
  ///
  /// - Parameter collation: Nil for bytes.
  static func function(_ place: TextPlace, _ collation: Collation?) -> DatabaseFunction {
    let name = collation?.name.lowercased() ?? "binary"
    let isIn: @Sendable (String, String) -> Bool
    if collation == nil || collation == .binary {
      isIn = { isBytes($0, $1, place) }
    } else if collation == .string {
      isIn = { isString($0, $1, place) }
    } else if let collation = collation?.databaseCollation {
      isIn = { isEqual($0, $1, place, collation) }
    } else {
      isIn = { isString($0, $1, place) }
    }
    return DatabaseFunction(
      "coffer_\(place.rawValue)_\(name)", argumentCount: 2, pure: true
    ) { values in
      guard case .string(let text) = values[0].storage, case .string(let part) = values[1].storage
      else { return nil }
      return isIn(text, part)
    }
  }

  /// Whether texts with a prefix stand together, from the prefix on.
  static func hasOrderOfLetters(_ collation: Collation?) -> Bool {
    collation.map { [.binary, .string, .caseInsensitive].contains($0) } ?? true
  }

  private static func isBytes(_ text: String, _ part: String, _ place: TextPlace) -> Bool {
    switch place {
    case .prefix: text.utf8.starts(with: part.utf8)
    case .suffix: text.utf8.reversed().starts(with: part.utf8.reversed())
    case .part:
      part.isEmpty || Array(text.utf8).firstRange(of: Array(part.utf8)) != nil
    }
  }

  private static func isString(_ text: String, _ part: String, _ place: TextPlace) -> Bool {
    switch place {
    case .prefix: text.hasPrefix(part)
    case .suffix: text.hasSuffix(part)
    case .part: part.isEmpty || text.firstRange(of: part) != nil
    }
  }

  /// Whether some characters there are equal to the part.
  private static func isEqual(
    _ text: String, _ part: String, _ place: TextPlace, _ collation: DatabaseCollation
  ) -> Bool {
    func isEqual(_ piece: Substring) -> Bool {
      collation.isEqual(String(piece), part)
    }
    switch place {
    case .prefix: return (0...text.count).contains { isEqual(text.prefix($0)) }
    case .suffix: return (0...text.count).contains { isEqual(text.suffix($0)) }
    case .part:
      return (0...text.count).contains { start in
        let rest = text.dropFirst(start)
        return (0...rest.count).contains { isEqual(rest.prefix($0)) }
      }
    }
  }
}
