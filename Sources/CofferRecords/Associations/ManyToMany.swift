import CofferCore
import CofferQuery

extension TableRecord {
  // MARK: Many to many

  /// Returns the association to the rows that a pivot table connects with a row.
  ///
  /// ```swift
  /// struct Student: TableRecord {
  ///   static let courses = manyToMany(Course.self, through: Enrollment.self)
  /// }
  /// struct Course: TableRecord {
  ///   static let students = manyToMany(Student.self, through: Enrollment.self)
  /// }
  /// ```
  ///
  /// It is a shorthand for `hasMany(_:through:using:)`. If the rows of one table are connected with
  /// each other, both foreign keys are needed:
  ///
  /// ```swift
  /// static let friends = manyToMany(
  ///   User.self, through: Friendship.self, key: "friends",
  ///   from: ForeignKey(["userId"]), to: ForeignKey(["friendId"]))
  /// ```
  ///
  /// - Parameters:
  ///   - key: The name under which the rows are decoded; nil for the plural of the table's name.
  ///   - originKey: The columns of the pivot table that refer to this type's table; nil for the
  ///     only foreign key in the schema.
  ///   - destinationKey: The columns of the pivot table that refer to the destination.
  public static func manyToMany<Destination: TableRecord, Pivot: TableRecord>(
    _ destination: Destination.Type, through pivot: Pivot.Type, key: String? = nil,
    from originKey: ForeignKey? = nil, to destinationKey: ForeignKey? = nil
  ) -> HasManyThroughAssociation<Self, Destination> {
    hasMany(
      destination, through: hasMany(pivot, using: originKey),
      using: pivot.belongsTo(destination, using: destinationKey), key: key)
  }

  /// Returns the association to the rows that a pivot table connects with a row.
  ///
  /// The pivot table has no record type.
  ///
  /// ```swift
  /// static let tags = manyToMany(Tag.self, through: Table("articleTag"))
  /// ```
  public static func manyToMany<Destination: TableRecord, Pivot>(
    _ destination: Destination.Type, through pivot: Table<Pivot>, key: String? = nil,
    from originKey: ForeignKey? = nil, to destinationKey: ForeignKey? = nil
  ) -> HasManyThroughAssociation<Self, Destination> {
    hasMany(
      destination, through: hasMany(pivot, using: originKey),
      using: pivot.belongsTo(destination, using: destinationKey), key: key)
  }
}
