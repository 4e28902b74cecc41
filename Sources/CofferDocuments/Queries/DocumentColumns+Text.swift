import CofferCore
import CofferQuery
import FoundationEssentials

extension DocumentExpression
where Value: DatabaseValueConvertible, Value._Base == String {
  /// Whether the text begins with another one, by the property's collation.
  ///
  /// ```swift
  /// books.filter { $0.name.hasPrefix("Moby") }
  /// ```
  ///
  /// Without a declared collation, it is Swift's `hasPrefix`; identifiers are compared by their
  /// bytes. An index of the property is used unless its collation is
  /// localized or custom. Nil has no prefix.
  /// - Parameter prefix: The text to find; it has no wildcards.
  public func hasPrefix(_ prefix: String) -> TypedPredicate { parts(.prefix, prefix) }

  /// Whether the text ends with another one, by the property's collation.
  ///
  /// - Parameter suffix: The text to find; it has no wildcards.
  public func hasSuffix(_ suffix: String) -> TypedPredicate { parts(.suffix, suffix) }

  /// Whether the text contains another one, by the property's collation.
  ///
  /// - Parameter part: The text to find; it has no wildcards.
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
        // The range that an index can find: all texts with the prefix, and few others.
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

/// The place in a text where another one is searched.
enum TextPlace: String { case prefix, suffix, part }

/// The SQL functions that search a text in another one, by a collation.
enum TextFunction {
  /// Returns the function of two texts; its result is NULL for other values.
  ///
  /// - Parameter collation: The order of strings; nil for the order of bytes.
  static func function(_ place: TextPlace, _ collation: Collation?) -> DatabaseFunction {
    let name = collation?.name.lowercased() ?? "binary"
    let isIn: @Sendable (String, String) -> Bool
    if collation == nil || collation == .binary {
      isIn = { isBytes($0, $1, place) }
    } else if collation != .string, let collation = collation?.databaseCollation {
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

  /// Returns whether all texts with a prefix directly follow the prefix in the order.
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

  /// Returns whether some characters at the place are equal to the part.
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
