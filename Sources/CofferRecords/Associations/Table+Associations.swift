import CofferCore
import CofferQuery

extension Table {
  // MARK: One step

  /// The association to the one row that a row refers to.
  ///
  /// - Parameters:
  ///   - key: The name of the row in what is decoded; nil for the table's singular.
  ///   - foreignKey: The columns; nil for the one foreign key that the schema has between the
  ///     tables.
  public func belongsTo<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<RowDecoder, Destination> {
    BelongsToAssociation(from: tableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// The association to the one row that a row refers to.
  ///
  /// - Parameters:
  ///   - key: The name of the row in what is decoded; nil for the table's singular.
  ///   - foreignKey: The columns; nil for the one foreign key that the schema has between the
  ///     tables.
  public func belongsTo<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<RowDecoder, Destination> {
    BelongsToAssociation(from: tableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// The association to the one row that refers to a row.
  ///
  /// - Parameters:
  ///   - key: The name of the row in what is decoded; nil for the table's singular.
  ///   - foreignKey: The columns; nil for the one foreign key that the schema has between the
  ///     tables.
  public func hasOne<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<RowDecoder, Destination> {
    HasOneAssociation(from: tableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// The association to the one row that refers to a row.
  ///
  /// - Parameters:
  ///   - key: The name of the row in what is decoded; nil for the table's singular.
  ///   - foreignKey: The columns; nil for the one foreign key that the schema has between the
  ///     tables.
  public func hasOne<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<RowDecoder, Destination> {
    HasOneAssociation(from: tableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// The association to the rows that refer to a row.
  ///
  /// - Parameters:
  ///   - key: The name of the rows in what is decoded; nil for the table's plural.
  ///   - foreignKey: The columns; nil for the one foreign key that the schema has between the
  ///     tables.
  public func hasMany<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<RowDecoder, Destination> {
    HasManyAssociation(from: tableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// The association to the rows that refer to a row.
  ///
  /// - Parameters:
  ///   - key: The name of the rows in what is decoded; nil for the table's plural.
  ///   - foreignKey: The columns; nil for the one foreign key that the schema has between the
  ///     tables.
  public func hasMany<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<RowDecoder, Destination> {
    HasManyAssociation(from: tableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// The association to the rows that are found through another association, the pivot.
  ///
  /// - Parameters:
  ///   - pivot: The association to the table in between.
  ///   - target: The association from there on.
  ///   - key: The name in what is decoded; nil for that of `target`.
  public func hasMany<Pivot: Association, Target: Association>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
    key: String? = nil
  ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
  where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
    HasManyThroughAssociation(through: pivot, using: target, key: key)
  }

  /// The association to the one row that is found through another association, the pivot.
  ///
  /// - Parameters:
  ///   - pivot: The association to the table in between.
  ///   - target: The association from there on.
  ///   - key: The name in what is decoded; nil for that of `target`.
  public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
    key: String? = nil
  ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
  where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
    HasOneThroughAssociation(through: pivot, using: target, key: key)
  }

  // MARK: Common table expressions

  /// The association to rows of a common table expression that fulfil a condition.
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

  /// The association to all rows of a common table expression.
  public func association<Destination>(
    to cte: CommonTableExpression<Destination>
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: cte.all())
  }
}
