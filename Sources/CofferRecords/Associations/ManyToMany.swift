import CofferCore
import CofferQuery

extension TableRecord {
  // MARK: Many to many

  /// The association to the rows that a table in between connects with a row.
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
  /// It is `hasMany(_:through:using:)` in one line. Rows of one table that are connected with
  /// each other need both foreign keys:
  ///
  /// ```swift
  /// static let friends = manyToMany(
  ///   User.self, through: Friendship.self, key: "friends",
  ///   from: ForeignKey(["userId"]), to: ForeignKey(["friendId"]))
  /// ```
  ///
  /// - Parameters:
  ///   - key: The name of the rows in what is decoded; nil for the table's plural.
  ///   - originKey: The columns of the table in between that refer to this type's; nil for the one
  ///     foreign key that the schema has.
  ///   - destinationKey: The columns of the table in between that refer to the destination's.
  public static func manyToMany<Destination: TableRecord, Pivot: TableRecord>(
    _ destination: Destination.Type, through pivot: Pivot.Type, key: String? = nil,
    from originKey: ForeignKey? = nil, to destinationKey: ForeignKey? = nil
  ) -> HasManyThroughAssociation<Self, Destination> {
    hasMany(
      destination, through: hasMany(pivot, using: originKey),
      using: pivot.belongsTo(destination, using: destinationKey), key: key)
  }

  /// The association to the rows that a table in between, which has no type of its own, connects
  /// with a row.
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
