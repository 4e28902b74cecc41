import CofferCore
import CofferQuery

extension TableRecord {
  // MARK: One step

  /// Returns the association to the single row that a row refers to.
  ///
  /// ```swift
  /// extension Book {
  ///   static let author = belongsTo(Author.self)
  /// }
  /// // SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
  /// Book.including(required: Book.author)
  /// ```
  ///
  /// - Parameters:
  ///   - key: The name under which the row is decoded; nil for the singular of the table's name.
  ///   - foreignKey: The columns; nil for the only foreign key between the tables in the schema.
  public static func belongsTo<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<Self, Destination> {
    BelongsToAssociation(
      from: databaseTableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// Returns the association to the single row that a row refers to.
  ///
  /// - Parameters:
  ///   - key: The name under which the row is decoded; nil for the singular of the table's name.
  ///   - foreignKey: The columns; nil for the only foreign key between the tables in the schema.
  public static func belongsTo<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<Self, Destination> {
    BelongsToAssociation(
      from: databaseTableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// Returns the association to the single row that refers to a row.
  ///
  /// - Parameters:
  ///   - key: The name under which the row is decoded; nil for the singular of the table's name.
  ///   - foreignKey: The columns; nil for the only foreign key between the tables in the schema.
  public static func hasOne<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<Self, Destination> {
    HasOneAssociation(from: databaseTableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// Returns the association to the single row that refers to a row.
  ///
  /// - Parameters:
  ///   - key: The name under which the row is decoded; nil for the singular of the table's name.
  ///   - foreignKey: The columns; nil for the only foreign key between the tables in the schema.
  public static func hasOne<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<Self, Destination> {
    HasOneAssociation(from: databaseTableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// Returns the association to the rows that refer to a row.
  ///
  /// ```swift
  /// extension Author {
  ///   static let books = hasMany(Book.self)
  /// }
  /// let authors = Author.having(Author.books.count > 10)
  /// ```
  ///
  /// - Parameters:
  ///   - key: The name under which the rows are decoded; nil for the plural of the table's name.
  ///   - foreignKey: The columns; nil for the only foreign key between the tables in the schema.
  public static func hasMany<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<Self, Destination> {
    HasManyAssociation(from: databaseTableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// Returns the association to the rows that refer to a row.
  ///
  /// - Parameters:
  ///   - key: The name under which the rows are decoded; nil for the plural of the table's name.
  ///   - foreignKey: The columns; nil for the only foreign key between the tables in the schema.
  public static func hasMany<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<Self, Destination> {
    HasManyAssociation(from: databaseTableName, to: destination.all(), key: key, using: foreignKey)
  }

  /// Returns the association to the rows through another association, the pivot.
  ///
  /// ```swift
  /// extension Country {
  ///   static let passports = hasMany(Passport.self)
  ///   static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - pivot: The association to the pivot table.
  ///   - target: The association from the pivot table to the destination.
  ///   - key: The name under which the destination is decoded; nil for the key of `target`.
  public static func hasMany<Pivot: Association, Target: Association>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
    key: String? = nil
  ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
  where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
    HasManyThroughAssociation(through: pivot, using: target, key: key)
  }

  /// Returns the association to the single row through another association, the pivot.
  ///
  /// - Parameters:
  ///   - pivot: The association to the pivot table.
  ///   - target: The association from the pivot table to the destination.
  ///   - key: The name under which the destination is decoded; nil for the key of `target`.
  public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
    key: String? = nil
  ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
  where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
    HasOneThroughAssociation(through: pivot, using: target, key: key)
  }

  // MARK: Common table expressions

  /// Returns an association to the rows of a common table expression that fulfill a condition.
  ///
  /// - Parameter condition: Returns the condition, given aliases of both tables.
  public static func association<Destination>(
    to cte: CommonTableExpression<Destination>,
    on condition:
      @escaping @Sendable (
        _ left: TableAlias<Self>, _ right: TableAlias<Destination>
      ) -> any SQLExpressible
  ) -> JoinAssociation<Self, Destination> {
    JoinAssociation(to: cte.all(), on: condition)
  }

  /// Returns an association to all rows of a common table expression.
  public static func association<Destination>(
    to cte: CommonTableExpression<Destination>
  ) -> JoinAssociation<Self, Destination> {
    JoinAssociation(to: cte.all())
  }
}
