import CofferCore
import CofferQuery

extension Table {
  // MARK: One step

  /// Returns the association to the single row that a row refers to.
  ///
  /// - Parameters:
  ///   - key: The name under which the row is decoded; nil for the singular of the table's name.
  ///   - foreignKey: The columns; nil for the only foreign key between the tables in the schema.
  public func belongsTo<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<RowDecoder, Destination> {
    BelongsToAssociation(from: tableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// Returns the association to the single row that a row refers to.
  ///
  /// - Parameters:
  ///   - key: The name under which the row is decoded; nil for the singular of the table's name.
  ///   - foreignKey: The columns; nil for the only foreign key between the tables in the schema.
  public func belongsTo<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<RowDecoder, Destination> {
    BelongsToAssociation(from: tableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// Returns the association to the single row that refers to a row.
  ///
  /// - Parameters:
  ///   - key: The name under which the row is decoded; nil for the singular of the table's name.
  ///   - foreignKey: The columns; nil for the only foreign key between the tables in the schema.
  public func hasOne<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<RowDecoder, Destination> {
    HasOneAssociation(from: tableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// Returns the association to the single row that refers to a row.
  ///
  /// - Parameters:
  ///   - key: The name under which the row is decoded; nil for the singular of the table's name.
  ///   - foreignKey: The columns; nil for the only foreign key between the tables in the schema.
  public func hasOne<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<RowDecoder, Destination> {
    HasOneAssociation(from: tableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// Returns the association to the rows that refer to a row.
  ///
  /// - Parameters:
  ///   - key: The name under which the rows are decoded; nil for the plural of the table's name.
  ///   - foreignKey: The columns; nil for the only foreign key between the tables in the schema.
  public func hasMany<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<RowDecoder, Destination> {
    HasManyAssociation(from: tableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// Returns the association to the rows that refer to a row.
  ///
  /// - Parameters:
  ///   - key: The name under which the rows are decoded; nil for the plural of the table's name.
  ///   - foreignKey: The columns; nil for the only foreign key between the tables in the schema.
  public func hasMany<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<RowDecoder, Destination> {
    HasManyAssociation(from: tableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// Returns the association to the rows through another association, the pivot.
  ///
  /// - Parameters:
  ///   - pivot: The association to the pivot table.
  ///   - target: The association from the pivot table to the destination.
  ///   - key: The name under which the destination is decoded; nil for the key of `target`.
  public func hasMany<Pivot: Association, Target: Association>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
    key: String? = nil
  ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
  where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
    HasManyThroughAssociation(through: pivot, using: target, key: key)
  }

  /// Returns the association to the single row through another association, the pivot.
  ///
  /// - Parameters:
  ///   - pivot: The association to the pivot table.
  ///   - target: The association from the pivot table to the destination.
  ///   - key: The name under which the destination is decoded; nil for the key of `target`.
  public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
    key: String? = nil
  ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
  where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
    HasOneThroughAssociation(through: pivot, using: target, key: key)
  }

  // MARK: Common table expressions

  /// Returns an association to the rows of a common table expression that fulfill a condition.
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

  /// Returns an association to all rows of a common table expression.
  public func association<Destination>(
    to cte: CommonTableExpression<Destination>
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: cte.all())
  }
}
