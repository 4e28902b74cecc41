import FoundationEssentials

/// A collation written in Swift.
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
/// Every connection that reads or writes an index with the collation needs it. After a change of
/// its order, such indexes must be rebuilt: see
/// ``Database/reindex(collation:)-(DatabaseCollation)``.
public final class DatabaseCollation: Sendable {
  /// The name in SQL, whose ASCII letters are case-insensitive.
  public let name: String

  @safe private enum Comparison: Sendable {
    case strings(@Sendable (String, String) -> ComparisonResult)
    case bytes(@Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> ComparisonResult)
  }

  private let comparison: Comparison

  /// Creates a collation from a comparison of strings.
  ///
  /// - Parameter function: Compares two strings. It must be a total order that never changes;
  ///   otherwise queries that use an index return wrong results.
  /// - Precondition: The name has from 1 to 255 bytes and no NUL character.
  public init(
    _ name: String, function: @escaping @Sendable (String, String) -> ComparisonResult
  ) {
    precondition(isValidSQLName(name), "a collation's name has from 1 to 255 bytes, and no NUL")
    self.name = name
    comparison = .strings(function)
  }

  /// Creates a collation from a comparison of UTF-8 bytes, valid during the call of `bytes`.
  @safe init(
    _ name: String,
    bytes: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> ComparisonResult
  ) {
    self.name = name
    comparison = unsafe .bytes(bytes)
  }

  private init(_ name: String, _ comparison: Comparison) {
    self.name = name
    self.comparison = comparison
  }

  /// Returns a collation with the same order and another name.
  func named(_ name: String) -> DatabaseCollation { DatabaseCollation(name, comparison) }

  /// Returns whether two strings are equal in this collation.
  package func isEqual(_ lhs: String, _ rhs: String) -> Bool {
    switch comparison {
    case .strings(let compare): return compare(lhs, rhs) == .orderedSame
    case .bytes(let compare):
      var (lhs, rhs) = (lhs, rhs)
      return lhs.withUTF8 { lhs in
        rhs.withUTF8 { rhs in
          unsafe compare(UnsafeRawBufferPointer(lhs), UnsafeRawBufferPointer(rhs)) == .orderedSame
        }
      }
    }
  }

  @safe func compare(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer)
    -> ComparisonResult
  {
    switch comparison {
    case .strings(let compare):
      unsafe compare(String(decoding: lhs, as: UTF8.self), String(decoding: rhs, as: UTF8.self))
    case .bytes(let compare): unsafe compare(lhs, rhs)
    }
  }
}

extension DatabaseCollation: Identifiable {
  /// The identity of a collation: its name, ignoring case.
  public struct ID: Hashable, Sendable {
    let name: String
  }

  /// The name, ignoring case.
  public var id: ID { ID(name: foldedASCII(name)) }
}
