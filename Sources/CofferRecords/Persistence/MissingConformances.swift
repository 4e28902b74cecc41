import CofferCore

// What leads from a Codable type to the protocols of records: none of it can be called.

extension Decodable {
  /// Can't be called: the type doesn't conform to ``FetchableRecord``.
  @available(
    *, unavailable,
    message: "records are fetched by types that conform to FetchableRecord and TableRecord"
  )
  public static func fetchAll(_ db: Database) throws -> [Self] { fatalError("unavailable") }

  /// Can't be called: the type doesn't conform to ``FetchableRecord``.
  @available(
    *, unavailable, message: "records are fetched by types that conform to FetchableRecord"
  )
  public static func fetchAll(_ db: Database, sql: String) throws -> [Self] {
    fatalError("unavailable")
  }

  /// Can't be called: the type doesn't conform to ``FetchableRecord``.
  @available(
    *, unavailable, message: "records are fetched by types that conform to FetchableRecord"
  )
  public static func fetchOne(_ db: Database, sql: String) throws -> Self? {
    fatalError("unavailable")
  }

  /// Can't be called: the type doesn't conform to ``FetchableRecord``.
  @available(
    *, unavailable,
    message: "records are fetched by types that conform to FetchableRecord and TableRecord"
  )
  public static func fetchOne(_ db: Database, key: Int64) throws -> Self? {
    fatalError("unavailable")
  }
}

extension Encodable {
  /// Can't be called: the type doesn't conform to ``PersistableRecord``.
  @available(
    *, unavailable,
    message: """
      records are inserted by types that conform to MutablePersistableRecord, which store the new row's \
      id, or PersistableRecord
      """
  )
  public func insert(_ db: Database) throws { fatalError("unavailable") }

  /// Can't be called: the type doesn't conform to ``PersistableRecord``.
  @available(
    *, unavailable,
    message:
      "records are updated by types that conform to MutablePersistableRecord or PersistableRecord"
  )
  public func update(_ db: Database) throws { fatalError("unavailable") }

  /// Can't be called: the type doesn't conform to ``PersistableRecord``.
  @available(
    *, unavailable,
    message:
      "records are saved by types that conform to MutablePersistableRecord or PersistableRecord"
  )
  public func save(_ db: Database) throws { fatalError("unavailable") }

  /// Can't be called: the type doesn't conform to ``PersistableRecord``.
  @available(
    *, unavailable,
    message:
      "records are deleted by types that conform to MutablePersistableRecord or PersistableRecord"
  )
  public func delete(_ db: Database) throws { fatalError("unavailable") }
}
