import CofferCore
import CofferQuery

// Fetching by primary key, or by a unique key with column names.

extension FetchableRecord where Self: TableRecord {
  // MARK: One record

  /// Returns the record with a primary key; nil if there is none, or if the key is nil.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "id" = 1
  /// let player = try Player.fetchOne(db, key: 1)
  /// ```
  ///
  /// A table without a declared key is looked up by its rowid. The statement stays prepared, so
  /// this is the fastest way to fetch one record.
  /// - Throws: An error if the primary key has several columns.
  @inlinable
  @_disfavoredOverload
  public static func fetchOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Self? {
    try fetchOne(db, keyValue: storedKey(db, key))
  }

  /// Returns the key as the record type stores it.
  @inlinable @inline(__always)
  static func storedKey(_ db: Database, _ key: some DatabaseValueConvertible) throws
    -> DatabaseValue
  {
    guard let formed = _FormedValue(key) else { return key.databaseValue }
    return try LookupPlan<Self>.storedKey(db, formed, like: key.databaseValue)
  }

  @inlinable
  static func fetchOne(_ db: Database, keyValue key: DatabaseValue) throws -> Self? {
    if key.isNull { return nil }
    if let lookup = try LookupPlan<Self>.lookup(db, like: key) {
      switch try lookup.lookUp(db, key, for: LookupPlan<Self>.self) {
      case .found: return try lookup.decoding { try Self(row: $0) }
      case .none: return nil
      case .needsRequest: break
      }
    }
    return try filter(key: key).fetchOne(db)
  }

  /// Returns the record with a unique key, as a dictionary of column names and values.
  ///
  /// Returns nil if there is no such record.
  ///
  /// ```swift
  /// let citizenship = try Citizenship.fetchOne(db, key: ["citizenId": 1, "countryCode": "FR"])
  /// ```
  ///
  /// - Throws: An error if the columns are neither the primary key nor a unique index.
  public static func fetchOne(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]?
  ) throws -> Self? {
    guard let key else { return nil }
    return try filter(key: key).fetchOne(db)
  }

  /// Returns the record with a primary key.
  ///
  /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is none.
  @inlinable
  public static func find(_ db: Database, key: some DatabaseValueConvertible) throws -> Self {
    guard let record = try fetchOne(db, keyValue: storedKey(db, key)) else {
      throw recordNotFound(db, key: key)
    }
    return record
  }

  /// Returns the record with a unique key, as a dictionary of column names and values.
  ///
  /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is none.
  public static func find(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Self {
    guard let record = try filter(key: key).fetchOne(db) else { throw recordNotFound(key: key) }
    return record
  }

  // MARK: Several records

  /// Returns a cursor over the records with the primary keys, in no particular order.
  ///
  /// - Throws: An error if the primary key has several columns.
  @inlinable
  @_disfavoredOverload
  public static func fetchCursor<Keys>(_ db: Database, keys: Keys) throws -> RecordCursor<Self>
  where Keys: Collection, Keys.Element: DatabaseValueConvertible {
    try filter(keys: keys).fetchCursor(db)
  }

  /// Returns the records with the primary keys, in no particular order.
  ///
  /// Keys without a record are ignored.
  ///
  /// - Throws: An error if the primary key has several columns.
  @inlinable
  @_disfavoredOverload
  public static func fetchAll<Keys>(_ db: Database, keys: Keys) throws -> [Self]
  where Keys: Collection, Keys.Element: DatabaseValueConvertible {
    if keys.isEmpty { return [] }
    return try filter(keys: keys).fetchAll(db)
  }

  /// Returns a cursor over the records with the unique keys.
  ///
  /// A key is a dictionary of column names and values.
  ///
  /// - Throws: An error if the columns are neither the primary key nor a unique index.
  @inlinable
  public static func fetchCursor(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> RecordCursor<Self> { try filter(keys: keys).fetchCursor(db) }

  /// Returns the records with the unique keys.
  ///
  /// A key is a dictionary of column names and values.
  ///
  /// - Throws: An error if the columns are neither the primary key nor a unique index.
  @inlinable
  public static func fetchAll(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> [Self] {
    if keys.isEmpty { return [] }
    return try filter(keys: keys).fetchAll(db)
  }
}

extension FetchableRecord where Self: TableRecord & Hashable {
  /// Returns the distinct records with the primary keys.
  ///
  /// - Throws: An error if the primary key has several columns.
  @inlinable
  @_disfavoredOverload
  public static func fetchSet<Keys>(_ db: Database, keys: Keys) throws -> Set<Self>
  where Keys: Collection, Keys.Element: DatabaseValueConvertible {
    if keys.isEmpty { return [] }
    return try filter(keys: keys).fetchSet(db)
  }

  /// Returns the distinct records with the unique keys.
  ///
  /// A key is a dictionary of column names and values.
  ///
  /// - Throws: An error if the columns are neither the primary key nor a unique index.
  @inlinable
  public static func fetchSet(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> Set<Self> {
    if keys.isEmpty { return [] }
    return try filter(keys: keys).fetchSet(db)
  }
}

// MARK: - By identifier

extension FetchableRecord
where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
  /// Returns the record with an identifier, which is its primary key; nil if there is none.
  ///
  /// - Throws: An error if the primary key has several columns.
  @inlinable
  public static func fetchOne(_ db: Database, id: ID) throws -> Self? {
    try fetchOne(db, keyValue: storedKey(db, id))
  }

  /// Returns the record with an identifier, which is its primary key.
  ///
  /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is none.
  @inlinable
  public static func find(_ db: Database, id: ID) throws -> Self {
    guard let record = try fetchOne(db, keyValue: storedKey(db, id)) else {
      throw recordNotFound(db, id: id)
    }
    return record
  }

  /// Returns a cursor over the records with the identifiers, in no particular order.
  @inlinable
  public static func fetchCursor(
    _ db: Database, ids: some Collection<ID>
  ) throws -> RecordCursor<Self> { try filter(ids: ids).fetchCursor(db) }

  /// Returns the records with the identifiers, in no particular order.
  @inlinable
  public static func fetchAll(_ db: Database, ids: some Collection<ID>) throws -> [Self] {
    if ids.isEmpty { return [] }
    return try filter(ids: ids).fetchAll(db)
  }
}

extension FetchableRecord
where Self: TableRecord & Hashable & Identifiable, ID: DatabaseValueConvertible {
  /// Returns the distinct records with the identifiers.
  @inlinable
  public static func fetchSet(_ db: Database, ids: some Collection<ID>) throws -> Set<Self> {
    if ids.isEmpty { return [] }
    return try filter(ids: ids).fetchSet(db)
  }
}
