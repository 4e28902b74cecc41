import CofferCore

/// The rows that a window function looks at: see ``SQLExpression/over(partitionBy:orderBy:frame:)``.
package struct WindowDefinition: Sendable {
  let partition: [SQLExpression]
  let ordering: [SQLOrdering]
  let frame: SQLWindowFrame?

  func render(into renderer: inout SQLRenderer) throws {
    renderer.append("(")
    var separator = ""
    if !partition.isEmpty {
      renderer.append("PARTITION BY ")
      try renderer.append(list: partition)
      separator = " "
    }
    if !ordering.isEmpty {
      renderer.append("\(separator)ORDER BY ")
      try renderer.append(ordering)
      separator = " "
    }
    if let frame { renderer.append(separator + frame.sql) }
    renderer.append(")")
  }
}

/// Which rows around the current one a window function looks at.
///
/// - Note: <https://www.sqlite.org/windowfunctions.html#frame_specifications>
public struct SQLWindowFrame: Sendable {
  let sql: String

  /// An end of a frame.
  public enum Bound: Hashable, Sendable {
    /// The first row of the partition.
    case unboundedPreceding
    /// So many rows, or groups, before the current row.
    case preceding(Int)
    /// The current row.
    case currentRow
    /// So many rows, or groups, after the current row.
    case following(Int)
    /// The last row of the partition.
    case unboundedFollowing

    fileprivate var sql: String {
      switch self {
      case .unboundedPreceding: "UNBOUNDED PRECEDING"
      case .preceding(let count): "\(count) PRECEDING"
      case .currentRow: "CURRENT ROW"
      case .following(let count): "\(count) FOLLOWING"
      case .unboundedFollowing: "UNBOUNDED FOLLOWING"
      }
    }
  }

  /// Rows, counted one by one.
  public static func rows(_ start: Bound, _ end: Bound) -> SQLWindowFrame {
    SQLWindowFrame(sql: "ROWS BETWEEN \(start.sql) AND \(end.sql)")
  }

  /// Rows by their distance in the value that they are ordered by.
  public static func range(_ start: Bound, _ end: Bound) -> SQLWindowFrame {
    SQLWindowFrame(sql: "RANGE BETWEEN \(start.sql) AND \(end.sql)")
  }

  /// Rows, counted by groups of those that are equal in the order.
  public static func groups(_ start: Bound, _ end: Bound) -> SQLWindowFrame {
    SQLWindowFrame(sql: "GROUPS BETWEEN \(start.sql) AND \(end.sql)")
  }
}

extension SQLExpression {
  /// An aggregate or window function over the rows around each row, from SQLite
  /// 3.25 on.
  ///
  /// ```swift
  /// // SELECT *, RANK() OVER (PARTITION BY "teamId" ORDER BY "score" DESC) AS "rank"
  /// Player.annotated(
  ///   with: SQLWindow.rank().over(partitionBy: Column("teamId"), orderBy: Column("score").desc)
  ///     .forKey("rank"))
  /// ```
  ///
  /// - Parameters:
  ///   - partition: What rows of one group have in common; nil for one group of all.
  ///   - ordering: The order of the rows in their group.
  ///   - frame: Which rows of the group count; nil for those up to the current row
  ///     and its equals, or all where there is no order.
  /// - Throws: Fetching throws an error where the expression is neither an aggregate
  ///   nor a window function.
  public func over(
    partitionBy partition: (any SQLExpressible)? = nil,
    orderBy ordering: (any SQLOrderingTerm)? = nil, frame: SQLWindowFrame? = nil
  ) -> SQLExpression {
    over(
      partitionBy: partition.map { [$0] } ?? [], orderBy: ordering.map { [$0] } ?? [],
      frame: frame)
  }

  /// An aggregate or window function over the rows around each row, from SQLite
  /// 3.25 on, partitioned and ordered by several expressions.
  public func over(
    partitionBy partition: [any SQLExpressible], orderBy ordering: [any SQLOrderingTerm] = [],
    frame: SQLWindowFrame? = nil
  ) -> SQLExpression {
    guard case .aggregate(var aggregate)? = expressionNode else {
      return SQLExpression(
        .deferred { _ in
          throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "over() is for aggregates and window functions, such as sum() and rank()")
        })
    }
    aggregate.window = WindowDefinition(
      partition: partition.map(\.sqlExpression), ordering: ordering.map(\.sqlOrdering),
      frame: frame)
    return SQLExpression(.aggregate(aggregate))
  }
}

// MARK: - Functions

/// SQL's functions that look at the rows around each row, from SQLite 3.25 on.
///
/// ```swift
/// // SELECT *, RANK() OVER (ORDER BY "score" DESC) AS "rank" FROM "player"
/// Player.annotated(with: SQLWindow.rank().over(orderBy: Column("score").desc).forKey("rank"))
/// ```
///
/// - Note: <https://www.sqlite.org/windowfunctions.html#built_in_window_functions>
public enum SQLWindow {
  /// `ROW_NUMBER()`: the number of the row in its group, from 1 on.
  public static func rowNumber() -> SQLExpression { window("ROW_NUMBER") }

  /// `RANK()`: the number of the first row that is equal in the order, from 1 on.
  public static func rank() -> SQLExpression { window("RANK") }

  /// `DENSE_RANK()`: as ``rank()``, without gaps.
  public static func denseRank() -> SQLExpression { window("DENSE_RANK") }

  /// `PERCENT_RANK()`: the rank as a number from 0 to 1.
  public static func percentRank() -> SQLExpression { window("PERCENT_RANK") }

  /// `CUME_DIST()`: the share of rows up to this one.
  public static func cumeDist() -> SQLExpression { window("CUME_DIST") }

  /// `NTILE(count)`: the number, from 1 on, of the part that the row is in where its
  /// group is divided into parts of about equal size.
  public static func ntile(_ count: Int) -> SQLExpression { window("NTILE", count) }

  /// `LAG(value, offset, default)`: the value so many rows before this one.
  public static func lag(
    _ value: some SQLSpecificExpressible, offset: Int = 1,
    default defaultValue: (any SQLExpressible)? = nil
  ) -> SQLExpression {
    guard let defaultValue else { return window("LAG", value, offset) }
    return window("LAG", value, offset, defaultValue)
  }

  /// `LEAD(value, offset, default)`: the value so many rows after this one.
  public static func lead(
    _ value: some SQLSpecificExpressible, offset: Int = 1,
    default defaultValue: (any SQLExpressible)? = nil
  ) -> SQLExpression {
    guard let defaultValue else { return window("LEAD", value, offset) }
    return window("LEAD", value, offset, defaultValue)
  }

  /// `FIRST_VALUE(value)`: the value in the first row of the frame.
  public static func firstValue(_ value: some SQLSpecificExpressible) -> SQLExpression {
    window("FIRST_VALUE", value)
  }

  /// `LAST_VALUE(value)`: the value in the last row of the frame.
  public static func lastValue(_ value: some SQLSpecificExpressible) -> SQLExpression {
    window("LAST_VALUE", value)
  }

  /// `NTH_VALUE(value, n)`: the value in the n-th row of the frame, from 1 on.
  public static func nthValue(_ value: some SQLSpecificExpressible, _ n: Int) -> SQLExpression {
    window("NTH_VALUE", value, n)
  }

  private static func window(_ name: String, _ arguments: any SQLExpressible...) -> SQLExpression {
    var aggregate = Aggregate(name, arguments.map(\.sqlExpression))
    aggregate.isWindowOnly = true
    return SQLExpression(.aggregate(aggregate))
  }
}
