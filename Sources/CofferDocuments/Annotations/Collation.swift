import CofferCore
import FoundationEssentials

/// An order of texts, for a property's index, its filters, and sorting.
///
/// ```swift
/// let byLength = Collation("byLength") { lhs, rhs in
///   lhs.count < rhs.count ? .orderedAscending
///     : lhs.count == rhs.count ? .orderedSame : .orderedDescending
/// }
/// try books.all().orderBy(\.name, collation: byLength).fetchMany()
/// ```
public struct Collation: Sendable {
  /// The name in SQL; its ASCII letters are the same in either case.
  public let name: String

  /// The collation of a connection; nil where SQLite has it, or someone else adds it.
  package let databaseCollation: DatabaseCollation?

  /// A collation that compares in Swift.
  ///
  /// - Parameter compare: It must be a total order, always the same, or else indexes give
  ///   wrong results.
  /// - Precondition: The name has from 1 to 255 bytes and no NUL character.
  public init(
    _ name: String, _ compare: @escaping @Sendable (String, String) -> ComparisonResult
  ) {
    self.name = name
    databaseCollation = DatabaseCollation(name, function: compare)
  }

  /// A collation that the connections know already, by its name.
  public init(_ name: String) {
    self.name = name
    databaseCollation = nil
  }

  /// A collation of connections.
  public init(_ collation: DatabaseCollation) {
    name = collation.name
    databaseCollation = collation
  }

  /// Whether every connection has it: nothing is to be registered.
  package var isStandard: Bool { databaseCollation == nil || Collation.standard.contains(self) }

  private static let standard: Set<Collation> = [
    string, caseInsensitive, localized, localizedCaseInsensitive, decimal,
  ]
}

extension Collation {
  /// The order of Swift's `==` and `<`, which takes different forms of a letter for equal.
  ///
  /// It is that of all texts where nothing else is declared, but for identifiers and for properties
  /// of stored structs, which are compared byte by byte. SQL knows it as `swiftCompare`, on all connections of Coffer.
  public static let string = Collation(.unicodeCompare)

  /// The order of the bytes: SQLite's own `BINARY`, the fastest.
  ///
  /// Texts are different where Unicode has two forms for a letter, such as é. `@CollateBinary` suits
  /// keys and codes, and texts that refer to identifiers: their index serves references too.
  public static let binary = Collation("BINARY")

  /// The order of `caseInsensitiveCompare(_:)`: letters of all scripts in either case.
  public static let caseInsensitive = Collation(.caseInsensitiveCompare)

  /// The order of `localizedCompare(_:)`, by the locale of the process.
  ///
  /// Indexes are to be rebuilt when that locale changes: see `Database.reindex(collation:)`.
  public static let localized = Collation(.localizedCompare)

  /// The order of `localizedCaseInsensitiveCompare(_:)`, by the locale of the process.
  public static let localizedCaseInsensitive = Collation(.localizedCaseInsensitiveCompare)
}

extension Collation {
  /// The order of the numbers that decimal texts stand for; other texts come first.
  static let decimal = Collation(.decimal)
}

extension Collation: Hashable {
  private var folded: String {
    String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Whether both have the same name, in either case.
  public static func == (lhs: Collation, rhs: Collation) -> Bool { lhs.folded == rhs.folded }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension Collation: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
