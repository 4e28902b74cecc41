import CofferVault
import Foundation

/// The values of an `IN (…)` list.
///
/// ```swift
/// try Row.fetchAll(
///   db, sql: "SELECT * FROM player WHERE id IN (?)", arguments: [[1, 2, 3]])
/// ```
///
/// Arrays, sets, ranges and the other collections of the standard library are arguments as they
/// are; this type wraps any other collection.
///
/// The elements mean the same as a list written out in SQL: the affinity of the left side applies
/// to each of them, NULL included, and an empty array makes `IN` false and `NOT IN` true. Any
/// length is allowed: a virtual table reads the elements, which are not bound one by one.
public struct ArrayArgument: Sendable {
  /// The elements that the virtual table reads; a class, so that its address can be bound.
  @usableFromInline package let storage: ArrayArgumentStorage

  /// Wraps integers without converting each of them to a database value.
  @inlinable
  package init(integers: ContiguousArray<Int64>) {
    storage = ArrayArgumentStorage(.integers(integers))
  }

  /// Creates an array argument from a collection of values.
  ///
  /// - Complexity: O(*n*) conversions, unless the elements are integers.
  @inlinable
  public init<Elements: Collection>(_ elements: Elements)
  where Elements.Element: DatabaseValueConvertible {
    // Compares the types first: a cast alone would try each element.
    if Elements.self == [Int64].self, let integers = elements as? [Int64] {
      storage = ArrayArgumentStorage(.integers(ContiguousArray(integers)))
    } else if Elements.self == [Int].self, let integers = elements as? [Int] {
      storage = ArrayArgumentStorage(.integers(ContiguousArray(integers.lazy.map(Int64.init))))
    } else {
      storage = ArrayArgumentStorage(.values(ContiguousArray(elements.map(\.databaseValue))))
    }
  }

  /// Creates an array argument whose elements are converted on demand.
  ///
  /// Each execution converts the elements when the statement reads them.
  ///
  /// Nothing is copied, so a range of a million elements costs nothing.
  @inlinable
  public init<Elements: Collection & Sendable>(lazy elements: Elements)
  where Elements.Element: DatabaseValueConvertible {
    storage = ArrayArgumentStorage(
      .lazy(count: { elements.count }) {
        var iterator = elements.makeIterator()
        return { iterator.next()?.databaseValue }
      })
  }

  /// The number of elements.
  package var count: Int { storage.count }
}

/// The elements of an array argument.
@usableFromInline
package final class ArrayArgumentStorage: Sendable {
  @usableFromInline
  package enum Elements: Sendable {
    case integers(ContiguousArray<Int64>)
    case values(ContiguousArray<DatabaseValue>)
    case lazy(count: @Sendable () -> Int, iterate: @Sendable () -> () -> DatabaseValue?)
  }

  @usableFromInline package let elements: Elements

  @inlinable
  package init(_ elements: Elements) { self.elements = elements }

  package var count: Int {
    switch elements {
    case .integers(let integers): integers.count
    case .values(let values): values.count
    case .lazy(let count, _): count()
    }
  }

  /// The converted elements.
  package var values: ContiguousArray<DatabaseValue> {
    switch elements {
    case .integers(let integers):
      return ContiguousArray(integers.lazy.map { DatabaseValue(storage: .int64($0)) })
    case .values(let values): return values
    case .lazy(_, let iterate):
      let next = iterate()
      var values: ContiguousArray<DatabaseValue> = []
      while let value = next() { values.append(value) }
      return values
    }
  }
}

extension ArrayArgument: Hashable {
  /// Returns whether both hold equal values in the same order.
  public static func == (lhs: ArrayArgument, rhs: ArrayArgument) -> Bool {
    lhs.storage === rhs.storage || lhs.storage.values == rhs.storage.values
  }

  /// Hashes the values of the array.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storage.values)
  }
}

extension ArrayArgument: CustomStringConvertible, StatementBinding {
  /// The first ten values, and the number of values if there are more.
  public var description: String {
    let values = storage.values
    let shown = values.prefix(10).map(\.description).joined(separator: ", ")
    return values.count > 10 ? "[\(shown), … \(values.count) values]" : "[\(shown)]"
  }

  /// The array as an argument.
  @inlinable public var statementArgument: StatementArgument { StatementArgument(self) }

  /// Returns `SQLITE_MISUSE`: an array can only be bound through ``StatementArguments``.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    SQLite.misuse
  }
}

// MARK: - Collections as arguments

/// A collection that can be passed as an array argument.
public protocol ArrayArgumentConvertible: Collection, StatementBinding
where Element: DatabaseValueConvertible {}

extension ArrayArgumentConvertible {
  /// The elements as an array argument.
  @inlinable
  public var statementArgument: StatementArgument { StatementArgument(ArrayArgument(self)) }

  /// Returns `SQLITE_MISUSE`: an array can only be bound through ``StatementArguments``.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    SQLite.misuse
  }
}

extension Array: StatementBinding, ArrayArgumentConvertible
where Element: DatabaseValueConvertible {}
extension ContiguousArray: StatementBinding, ArrayArgumentConvertible
where Element: DatabaseValueConvertible {}
extension ArraySlice: StatementBinding, ArrayArgumentConvertible
where Element: DatabaseValueConvertible {}
extension Set: StatementBinding, ArrayArgumentConvertible
where Element: DatabaseValueConvertible {}
extension Dictionary.Keys: StatementBinding, ArrayArgumentConvertible
where Key: DatabaseValueConvertible {}
extension Dictionary.Values: StatementBinding, ArrayArgumentConvertible
where Value: DatabaseValueConvertible {}
extension ReversedCollection: StatementBinding, ArrayArgumentConvertible
where Element: DatabaseValueConvertible {}
extension AnyCollection: StatementBinding, ArrayArgumentConvertible
where Element: DatabaseValueConvertible {}
extension LazyMapSequence: StatementBinding, ArrayArgumentConvertible
where Base: Collection, Element: DatabaseValueConvertible {}
extension LazyFilterSequence: StatementBinding, ArrayArgumentConvertible
where Base: Collection, Element: DatabaseValueConvertible {}
extension CollectionOfOne: StatementBinding, ArrayArgumentConvertible
where Element: DatabaseValueConvertible {}
extension EmptyCollection: StatementBinding, ArrayArgumentConvertible
where Element: DatabaseValueConvertible {}

extension Range: StatementBinding, ArrayArgumentConvertible
where Bound: Strideable & DatabaseValueConvertible, Bound.Stride: SignedInteger {}

extension ClosedRange: StatementBinding, ArrayArgumentConvertible
where Bound: Strideable & DatabaseValueConvertible, Bound.Stride: SignedInteger {}
