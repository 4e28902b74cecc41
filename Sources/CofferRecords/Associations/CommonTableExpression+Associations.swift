import CofferCore
import CofferQuery

extension CommonTableExpression {
  /// The association to rows of another common table expression that fulfil a condition.
  ///
  /// - Parameter condition: Makes the condition of aliases of both.
  public func association<Destination>(
    to cte: CommonTableExpression<Destination>,
    on condition:
      @escaping @Sendable (
        _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
      ) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: cte.all(), on: condition)
  }

  /// The association to rows of a table that fulfil a condition.
  ///
  /// - Parameter condition: Makes the condition of aliases of both.
  public func association<Destination>(
    to table: Table<Destination>,
    on condition:
      @escaping @Sendable (
        _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
      ) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: table.all(), on: condition)
  }

  /// The association to rows of a type that fulfil a condition.
  ///
  /// - Parameter condition: Makes the condition of aliases of both.
  public func association<Destination: TableRecord>(
    to type: Destination.Type,
    on condition:
      @escaping @Sendable (
        _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
      ) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: type.all(), on: condition)
  }

  /// The association to all rows of another common table expression.
  public func association<Destination>(
    to cte: CommonTableExpression<Destination>
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: cte.all())
  }
  /// The association to all rows of a table.
  public func association<Destination>(
    to table: Table<Destination>
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: table.all())
  }

  /// The association to all rows of a type's table.
  public func association<Destination: TableRecord>(
    to type: Destination.Type
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: type.all())
  }
}
