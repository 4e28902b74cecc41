import CofferCore
import FoundationEssentials

/// An order of strings, for a property's index, filters and sorting.
///
/// ```swift
/// let byLength = Collation("byLength") { lhs, rhs in
///   lhs.count < rhs.count ? .orderedAscending
///     : lhs.count == rhs.count ? .orderedSame : .orderedDescending
/// }
/// try books.all().orderBy(\.name, collation: byLength).fetchMany()
/// ```
public struct Collation: Sendable {
  /// The name in SQL. The case of its ASCII letters doesn't matter.
  public let name: String

  /// The collation to register with a connection; nil if SQLite or other code provides it.
  let databaseCollation: DatabaseCollation?

  /// Creates a collation that compares in Swift.
  ///
  /// - Parameter compare: A total order. It must never change, or queries that use an index return
  ///   wrong results.
  /// - Precondition: The name has 1 to 255 bytes and no NUL character.
  public init(
    _ name: String, _ compare: @escaping @Sendable (String, String) -> ComparisonResult
  ) {
    self.name = name
    databaseCollation = DatabaseCollation(name, function: compare)
  }

  /// Creates a collation that connections already have registered, by its name.
  public init(_ name: String) {
    self.name = name
    databaseCollation = nil
  }

  /// Creates a collation from a `DatabaseCollation`.
  public init(_ collation: DatabaseCollation) {
    name = collation.name
    databaseCollation = collation
  }

  /// Whether it doesn't have to be registered with a connection.
  var isStandard: Bool { databaseCollation == nil || Collation.standard.contains(self) }

  private static let standard: Set<Collation> = [
    string, caseInsensitive, localized, localizedCaseInsensitive, decimal,
  ]
}

extension Collation {
  /// The order of Swift's `==` and `<`, which treats canonically equivalent strings as equal.
  ///
  /// It is the default, except for identifiers, which are compared byte by byte. In SQL it is
  /// called `swiftCompare`, on all connections of Coffer.
  public static let string = Collation(.unicodeCompare)

  /// The order of the bytes: SQLite's `BINARY`, the fastest collation.
  ///
  /// Strings differ if they use different Unicode forms of a letter, such as é. `@CollateBinary`
  /// suits keys, codes, and strings that refer to identifiers: their index also serves references.
  public static let binary = Collation("BINARY")

  /// The order of `caseInsensitiveCompare(_:)`, which ignores case in all scripts.
  public static let caseInsensitive = Collation(.caseInsensitiveCompare)

  /// The order of `localizedCompare(_:)`, in the locale of the process.
  ///
  /// If the locale changes, indexes have to be rebuilt: see `Database.reindex(collation:)`.
  public static let localized = Collation(.localizedCompare)

  /// The order of `localizedCaseInsensitiveCompare(_:)`, in the locale of the process.
  public static let localizedCaseInsensitive = Collation(.localizedCaseInsensitiveCompare)
}

extension Collation {
  /// The numeric order of decimal strings; other strings come first.
  static let decimal = Collation(.decimal)
}

extension Collation: Hashable {
  private var folded: String {
    String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Whether both have the same name, ignoring case.
  public static func == (lhs: Collation, rhs: Collation) -> Bool { lhs.folded == rhs.folded }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension Collation: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
