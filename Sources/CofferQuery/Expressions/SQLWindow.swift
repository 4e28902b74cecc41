import CofferCore

/// The window of a window function: see ``SQLExpression/over(partitionBy:orderBy:frame:)``.
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

/// The rows around the current row to which a window function applies.
///
/// - Note: <https://www.sqlite.org/windowfunctions.html#frame_specifications>
public struct SQLWindowFrame: Sendable {
  let sql: String

  /// The start or end of a frame.
  public enum Bound: Hashable, Sendable {
    /// The first row of the partition.
    case unboundedPreceding
    /// A number of rows, groups, or units of the ordering value before the current row.
    case preceding(Int)
    /// The current row.
    case currentRow
    /// A number of rows, groups, or units of the ordering value after the current row.
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

  /// Returns a frame whose bounds count rows.
  public static func rows(_ start: Bound, _ end: Bound) -> SQLWindowFrame {
    SQLWindowFrame(sql: "ROWS BETWEEN \(start.sql) AND \(end.sql)")
  }

  /// Returns a frame whose bounds are distances from the ordering value of the current row.
  public static func range(_ start: Bound, _ end: Bound) -> SQLWindowFrame {
    SQLWindowFrame(sql: "RANGE BETWEEN \(start.sql) AND \(end.sql)")
  }

  /// Returns a frame whose bounds count groups of rows with equal ordering values.
  public static func groups(_ start: Bound, _ end: Bound) -> SQLWindowFrame {
    SQLWindowFrame(sql: "GROUPS BETWEEN \(start.sql) AND \(end.sql)")
  }
}

extension SQLExpression {
  /// Returns an aggregate or window function with a window: `function OVER (…)`.
  ///
  /// Requires SQLite 3.25 or later.
  ///
  /// ```swift
  /// // SELECT *, RANK() OVER (PARTITION BY "teamId" ORDER BY "score" DESC) AS "rank"
  /// Player.annotated(
  ///   with: SQLWindow.rank().over(partitionBy: Column("teamId"), orderBy: Column("score").desc)
  ///     .forKey("rank"))
  /// ```
  ///
  /// - Parameters:
  ///   - partition: The expression whose value groups the rows; nil for a single group.
  ///   - ordering: The order of the rows in a group.
  ///   - frame: The rows of the group to which the function applies. Nil for the rows up to the
  ///     current row and its peers, or for all rows if there is no ordering.
  /// - Throws: Fetching throws an error if the expression is neither an aggregate nor a window
  ///   function.
  public func over(
    partitionBy partition: (any SQLExpressible)? = nil,
    orderBy ordering: (any SQLOrderingTerm)? = nil, frame: SQLWindowFrame? = nil
  ) -> SQLExpression {
    over(
      partitionBy: partition.map { [$0] } ?? [], orderBy: ordering.map { [$0] } ?? [],
      frame: frame)
  }

  /// Returns an aggregate or window function, partitioned and ordered by several expressions.
  ///
  /// Requires SQLite 3.25 or later.
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

/// The window functions of SQL.
///
/// They require SQLite 3.25 or later.
///
/// ```swift
/// // SELECT *, RANK() OVER (ORDER BY "score" DESC) AS "rank" FROM "player"
/// Player.annotated(with: SQLWindow.rank().over(orderBy: Column("score").desc).forKey("rank"))
/// ```
///
/// - Note: <https://www.sqlite.org/windowfunctions.html#built_in_window_functions>
public enum SQLWindow {
  /// Returns `ROW_NUMBER()`: the number of the row in its group, counted from 1.
  public static func rowNumber() -> SQLExpression { window("ROW_NUMBER") }

  /// Returns `RANK()`: the number of the first row with the same ordering value, counted from 1.
  public static func rank() -> SQLExpression { window("RANK") }

  /// Returns `DENSE_RANK()`: the ``rank()`` without gaps.
  public static func denseRank() -> SQLExpression { window("DENSE_RANK") }

  /// Returns `PERCENT_RANK()`: the rank as a number from 0 to 1.
  public static func percentRank() -> SQLExpression { window("PERCENT_RANK") }

  /// Returns `CUME_DIST()`: the proportion of rows up to the current row and its peers.
  public static func cumeDist() -> SQLExpression { window("CUME_DIST") }

  /// Returns `NTILE(count)`: the number of the row's bucket, counted from 1.
  ///
  /// The rows of the group are divided into `count` buckets of about equal size.
  public static func ntile(_ count: Int) -> SQLExpression { window("NTILE", count) }

  /// Returns `LAG(value, offset, default)`: the value `offset` rows before the current row.
  public static func lag(
    _ value: some SQLSpecificExpressible, offset: Int = 1,
    default defaultValue: (any SQLExpressible)? = nil
  ) -> SQLExpression {
    window("LAG", value, offset, defaultValue)
  }

  /// Returns `LEAD(value, offset, default)`: the value `offset` rows after the current row.
  public static func lead(
    _ value: some SQLSpecificExpressible, offset: Int = 1,
    default defaultValue: (any SQLExpressible)? = nil
  ) -> SQLExpression {
    window("LEAD", value, offset, defaultValue)
  }

  /// Returns `FIRST_VALUE(value)`: the value in the first row of the frame.
  public static func firstValue(_ value: some SQLSpecificExpressible) -> SQLExpression {
    window("FIRST_VALUE", value)
  }

  /// Returns `LAST_VALUE(value)`: the value in the last row of the frame.
  public static func lastValue(_ value: some SQLSpecificExpressible) -> SQLExpression {
    window("LAST_VALUE", value)
  }

  /// Returns `NTH_VALUE(value, n)`: the value in row `n` of the frame, counted from 1.
  public static func nthValue(_ value: some SQLSpecificExpressible, _ n: Int) -> SQLExpression {
    window("NTH_VALUE", value, n)
  }

  /// Returns the call of a function, without the arguments that are nil.
  private static func window(
    _ name: String, _ arguments: (any SQLExpressible)?...
  ) -> SQLExpression {
    var aggregate = Aggregate(name, arguments.compactMap { $0?.sqlExpression })
    aggregate.isWindowOnly = true
    return SQLExpression(.aggregate(aggregate))
  }
}
