import FoundationEssentials

/// An order of texts that is written in Swift.
///
/// ```swift
/// let byLength = DatabaseCollation("length") { lhs, rhs in
///   lhs.count < rhs.count ? .orderedAscending
///     : lhs.count == rhs.count ? .orderedSame : .orderedDescending
/// }
/// configuration.prepareDatabase { db in db.add(collation: byLength) }
/// // SELECT name FROM player ORDER BY name COLLATE length
/// ```
///
/// Every connection that reads or writes an index in the collation needs it.
/// Once its order changes, such indexes are to be rebuilt: see
/// ``Database/reindex(collation:)-(DatabaseCollation)``.
public final class DatabaseCollation: Sendable {
  /// The name in SQL; its ASCII letters are the same in either case.
  public let name: String

  private enum Comparison: Sendable {
    case strings(@Sendable (String, String) -> ComparisonResult)
    case bytes(@Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> ComparisonResult)
  }

  private let comparison: Comparison

  /// An order of texts.
  ///
  /// - Parameter function: Compares two texts. It must be a total order, always
  ///   the same, or else indexes give wrong results.
  /// - Precondition: The name has from 1 to 255 bytes and no NUL character.
  public init(
    _ name: String, function: @escaping @Sendable (String, String) -> ComparisonResult
  ) {
    precondition(isValidSQLName(name), "a collation's name has from 1 to 255 bytes, and no NUL")
    self.name = name
    comparison = .strings(function)
  }

  /// An order of UTF-8, which is lent to `function`.
  init(
    _ name: String,
    bytes: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> ComparisonResult
  ) {
    self.name = name
    comparison = .bytes(bytes)
  }

  private init(_ name: String, _ comparison: Comparison) {
    self.name = name
    self.comparison = comparison
  }

  /// The same order under another name.
  func named(_ name: String) -> DatabaseCollation { DatabaseCollation(name, comparison) }

  /// Whether two texts are equal in the order.
  package func isEqual(_ lhs: String, _ rhs: String) -> Bool {
    switch comparison {
    case .strings(let compare): return compare(lhs, rhs) == .orderedSame
    case .bytes(let compare):
      var (lhs, rhs) = (lhs, rhs)
      return lhs.withUTF8 { lhs in
        rhs.withUTF8 { rhs in
          compare(UnsafeRawBufferPointer(lhs), UnsafeRawBufferPointer(rhs)) == .orderedSame
        }
      }
    }
  }

  func compare(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> ComparisonResult {
    switch comparison {
    case .strings(let compare):
      compare(String(decoding: lhs, as: UTF8.self), String(decoding: rhs, as: UTF8.self))
    case .bytes(let compare): compare(lhs, rhs)
    }
  }
}

extension DatabaseCollation: Identifiable {
  /// What tells collations apart: the name, in either case.
  public struct ID: Hashable, Sendable {
    let name: String
  }

  /// The name.
  public var id: ID { ID(name: foldedASCII(name)) }
}
