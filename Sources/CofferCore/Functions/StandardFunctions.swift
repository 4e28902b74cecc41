// Full Foundation, here alone: for locales, and for its order of letters in either case.
import Foundation

extension DatabaseFunction {
  /// `swiftCapitalizedString(text)`: `String.capitalized`.
  ///
  /// This and the functions below are known to every connection. They take text,
  /// and give NULL for everything else.
  public static let capitalize = text("swiftCapitalizedString") { $0.capitalized }

  /// `swiftLowercaseString(text)`: `String.lowercased()`, of all scripts.
  public static let lowercase = text("swiftLowercaseString") { $0.lowercased() }

  /// `swiftUppercaseString(text)`: `String.uppercased()`, of all scripts.
  public static let uppercase = text("swiftUppercaseString") { $0.uppercased() }

  /// `swiftLocalizedCapitalizedString(text)`: `localizedCapitalized`, by the
  /// locale of the process.
  public static let localizedCapitalize = text("swiftLocalizedCapitalizedString") {
    $0.localizedCapitalized
  }

  /// `swiftLocalizedLowercaseString(text)`: `localizedLowercase`, by the locale
  /// of the process.
  public static let localizedLowercase = text("swiftLocalizedLowercaseString") {
    $0.localizedLowercase
  }

  /// `swiftLocalizedUppercaseString(text)`: `localizedUppercase`, by the locale
  /// of the process.
  public static let localizedUppercase = text("swiftLocalizedUppercaseString") {
    $0.localizedUppercase
  }

  /// Pure, the localized ones too: an index may have been made with them.
  private static func text(
    _ name: String, _ transform: @escaping @Sendable (String) -> String
  ) -> DatabaseFunction {
    DatabaseFunction(
      name, argumentCount: 1, pure: true,
      implementation: .scalar { arguments in
        arguments.string(at: 0).map { transform($0).databaseValue } ?? .null
      })
  }

  static let standard = [
    capitalize, lowercase, uppercase, localizedCapitalize, localizedLowercase, localizedUppercase,
    json, jsonSet, jsonCount, jsonContains, jsonKeep,
  ]
}

extension DatabaseCollation {
  /// `swiftCompare`: Swift's order of strings, that of Unicode scalars in NFC.
  ///
  /// This and the collations below are known to every connection.
  public static let unicodeCompare = DatabaseCollation("swiftCompare", bytes: unicodeOrder)

  /// `swiftCaseInsensitiveCompare`: `caseInsensitiveCompare(_:)`, which takes
  /// letters for equal in either case, of all scripts.
  public static let caseInsensitiveCompare = DatabaseCollation("swiftCaseInsensitiveCompare") {
    $0.caseInsensitiveCompare($1)
  }

  /// `swiftLocalizedCaseInsensitiveCompare`: `localizedCaseInsensitiveCompare(_:)`.
  ///
  /// The localized orders are those of the process's locale: an index in one of
  /// them is to be rebuilt when the locale, or the library that knows it, changes.
  public static let localizedCaseInsensitiveCompare = DatabaseCollation(
    "swiftLocalizedCaseInsensitiveCompare"
  ) { $0.localizedCaseInsensitiveCompare($1) }

  /// `swiftLocalizedCompare`: `localizedCompare(_:)`, by the locale of the process.
  public static let localizedCompare = DatabaseCollation("swiftLocalizedCompare") {
    $0.localizedCompare($1)
  }

  /// `swiftLocalizedStandardCompare`: `localizedStandardCompare(_:)`, in which
  /// "file 9" comes before "file 10", by the locale of the process.
  public static let localizedStandardCompare = DatabaseCollation(
    "swiftLocalizedStandardCompare"
  ) { $0.localizedStandardCompare($1) }

  /// `coffer_decimal`: the order of the numbers that decimal texts stand for; other texts come
  /// first.
  package static let decimal = DatabaseCollation("coffer_decimal") { lhs, rhs in
    switch (number(lhs), number(rhs)) {
    case (let left?, let right?):
      left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    case (_?, nil): .orderedDescending
    case (nil, _?): .orderedAscending
    case (nil, nil):
      lhs == rhs ? .orderedSame : lhs < rhs ? .orderedAscending : .orderedDescending
    }
  }

  /// Nil for what can't be compared.
  private static func number(_ text: String) -> Decimal? {
    Decimal.fromDatabaseValue(text.databaseValue).flatMap { $0.isNaN ? nil : $0 }
  }

  static let standard = [
    unicodeCompare, caseInsensitiveCompare, localizedCaseInsensitiveCompare, localizedCompare,
    localizedStandardCompare, decimal,
  ]

  /// Collations that indexes in files of EasyDB name.
  ///
  /// They are registered where a statement asks for one: an application's own of the same name comes
  /// first.
  static let ofEasyDB = [
    unicodeCompare.named("string"), caseInsensitiveCompare.named("caseInsensitive"),
    localizedCompare.named("localized"),
    localizedCaseInsensitiveCompare.named("localizedCaseInsensitive"),
  ]

  /// ASCII is compared without making strings.
  @Sendable
  private static func unicodeOrder(
    _ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer
  ) -> ComparisonResult {
    if lhs.allSatisfy({ $0 < 0x80 }), rhs.allSatisfy({ $0 < 0x80 }) {
      let common = min(lhs.count, rhs.count)
      for index in 0..<common where lhs[index] != rhs[index] {
        return lhs[index] < rhs[index] ? .orderedAscending : .orderedDescending
      }
      return lhs.count == rhs.count
        ? .orderedSame : lhs.count < rhs.count ? .orderedAscending : .orderedDescending
    }
    let left = String(decoding: lhs, as: UTF8.self)
    let right = String(decoding: rhs, as: UTF8.self)
    return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
  }
}
