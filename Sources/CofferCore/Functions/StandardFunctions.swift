// Only this file imports full Foundation: for locales, and for its case-insensitive comparison.
import Foundation

extension DatabaseFunction {
  /// `swiftCapitalizedString(text)`: `String.capitalized`.
  ///
  /// This and the functions below are registered in every connection. They take text, and return
  /// NULL for any other value.
  public static let capitalize = text("swiftCapitalizedString") { $0.capitalized }

  /// `swiftLowercaseString(text)`: `String.lowercased()`, for all scripts.
  public static let lowercase = text("swiftLowercaseString") { $0.lowercased() }

  /// `swiftUppercaseString(text)`: `String.uppercased()`, for all scripts.
  public static let uppercase = text("swiftUppercaseString") { $0.uppercased() }

  /// `swiftLocalizedCapitalizedString(text)`: `localizedCapitalized`, in the locale of the process.
  public static let localizedCapitalize = text("swiftLocalizedCapitalizedString") {
    $0.localizedCapitalized
  }

  /// `swiftLocalizedLowercaseString(text)`: `localizedLowercase`, in the locale of the process.
  public static let localizedLowercase = text("swiftLocalizedLowercaseString") {
    $0.localizedLowercase
  }

  /// `swiftLocalizedUppercaseString(text)`: `localizedUppercase`, in the locale of the process.
  public static let localizedUppercase = text("swiftLocalizedUppercaseString") {
    $0.localizedUppercase
  }

  /// Creates a function declared pure, even if it is localized: existing indexes can use it.
  private static func text(
    _ name: String, _ transform: @escaping @Sendable (String) -> String
  ) -> DatabaseFunction {
    DatabaseFunction(
      name, argumentCount: 1, pure: true,
      implementation: .scalar { arguments in
        arguments.string(at: 0).map { transform($0).databaseValue } ?? .null
      })
  }

  static let standard =
    [
      capitalize, lowercase, uppercase, localizedCapitalize, localizedLowercase,
      localizedUppercase, json, jsonSet, jsonCount, jsonContains, jsonKeep,
    ] + exactJSON
}

extension DatabaseCollation {
  /// `swiftCompare`: Swift's order of strings, which compares Unicode scalars in NFC.
  ///
  /// This and the collations below are registered in every connection.
  public static let unicodeCompare = DatabaseCollation("swiftCompare", bytes: unicodeOrder)

  /// `swiftCaseInsensitiveCompare`: `caseInsensitiveCompare(_:)`.
  ///
  /// Ignores the case of letters in all scripts.
  public static let caseInsensitiveCompare = DatabaseCollation("swiftCaseInsensitiveCompare") {
    $0.caseInsensitiveCompare($1)
  }

  /// `swiftLocalizedCaseInsensitiveCompare`: `localizedCaseInsensitiveCompare(_:)`.
  ///
  /// The localized collations use the locale of the process: an index with one of them must be
  /// rebuilt when the locale, or the library that implements it, changes.
  public static let localizedCaseInsensitiveCompare = DatabaseCollation(
    "swiftLocalizedCaseInsensitiveCompare"
  ) { $0.localizedCaseInsensitiveCompare($1) }

  /// `swiftLocalizedCompare`: `localizedCompare(_:)`, in the locale of the process.
  public static let localizedCompare = DatabaseCollation("swiftLocalizedCompare") {
    $0.localizedCompare($1)
  }

  /// `swiftLocalizedStandardCompare`: `localizedStandardCompare(_:)`, in the locale of the process.
  ///
  /// Sorts "file 9" before "file 10".
  public static let localizedStandardCompare = DatabaseCollation(
    "swiftLocalizedStandardCompare"
  ) { $0.localizedStandardCompare($1) }

  /// `coffer_decimal`: compares decimal texts as numbers; other texts come first.
  ///
  /// Typed columns of `Decimal` have it in conditions and orders, which an index with it serves. No
  /// other program knows it.
  public static let decimal = DatabaseCollation("coffer_decimal") { lhs, rhs in
    switch (number(lhs), number(rhs)) {
    case (let left?, let right?):
      left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    case (_?, nil): .orderedDescending
    case (nil, _?): .orderedAscending
    case (nil, nil):
      lhs == rhs ? .orderedSame : lhs < rhs ? .orderedAscending : .orderedDescending
    }
  }

  /// Returns the decimal number of a text; nil if it is not a number.
  private static func number(_ text: String) -> Decimal? {
    Decimal.fromDatabaseValue(text.databaseValue).flatMap { $0.isNaN ? nil : $0 }
  }

  static let standard = [
    unicodeCompare, caseInsensitiveCompare, localizedCaseInsensitiveCompare, localizedCompare,
    localizedStandardCompare, decimal,
  ]

  /// Collations used by indexes in files of EasyDB.
  ///
  /// They are registered only when a statement requests one, so that an application's own collation
  /// of the same name takes precedence.
  static let ofEasyDB = [
    unicodeCompare.named("string"), caseInsensitiveCompare.named("caseInsensitive"),
    localizedCompare.named("localized"),
    localizedCaseInsensitiveCompare.named("localizedCaseInsensitive"),
  ]

  /// Compares ASCII without creating strings.
  @Sendable
  @safe private static func unicodeOrder(
    _ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer
  ) -> ComparisonResult {
    if unsafe lhs.allSatisfy({ $0 < 0x80 }), unsafe rhs.allSatisfy({ $0 < 0x80 }) {
      let common = min(lhs.count, rhs.count)
      for index in 0..<common where unsafe lhs[index] != rhs[index] {
        return unsafe lhs[index] < rhs[index] ? .orderedAscending : .orderedDescending
      }
      return lhs.count == rhs.count
        ? .orderedSame : lhs.count < rhs.count ? .orderedAscending : .orderedDescending
    }
    let left = unsafe String(decoding: lhs, as: UTF8.self)
    let right = unsafe String(decoding: rhs, as: UTF8.self)
    if left == right { return .orderedSame }
    let (isLess, isGreater) = (left < right, right < left)
    if isLess != isGreater { return isLess ? .orderedAscending : .orderedDescending }
    // Swift finds neither less where the one is a prefix of the other in another normal form.
    return left.precomposedStringWithCanonicalMapping < right.precomposedStringWithCanonicalMapping
      ? .orderedAscending : .orderedDescending
  }
}
