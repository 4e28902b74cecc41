import CofferCore
import CofferQuery

extension CommonTableExpression {
  /// Returns an association by a condition to rows of another common table expression.
  ///
  /// - Parameter condition: Returns the condition, given aliases of both tables.
  public func association<Destination>(
    to cte: CommonTableExpression<Destination>,
    on condition:
      @escaping @Sendable (
        _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
      ) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: cte.all(), on: condition)
  }

  /// Returns an association to the rows of a table that fulfill a condition.
  ///
  /// - Parameter condition: Returns the condition, given aliases of both tables.
  public func association<Destination>(
    to table: Table<Destination>,
    on condition:
      @escaping @Sendable (
        _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
      ) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: table.all(), on: condition)
  }

  /// Returns an association to the rows of a type's table that fulfill a condition.
  ///
  /// - Parameter condition: Returns the condition, given aliases of both tables.
  public func association<Destination: TableRecord>(
    to type: Destination.Type,
    on condition:
      @escaping @Sendable (
        _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
      ) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: type.all(), on: condition)
  }

  /// Returns an association to all rows of another common table expression.
  public func association<Destination>(
    to cte: CommonTableExpression<Destination>
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: cte.all())
  }
  /// Returns an association to all rows of a table.
  public func association<Destination>(
    to table: Table<Destination>
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: table.all())
  }

  /// Returns an association to all rows of a type's table.
  public func association<Destination: TableRecord>(
    to type: Destination.Type
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: type.all())
  }
}
