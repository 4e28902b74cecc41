import CofferCore

extension Database {
  /// The declared type of a column.
  ///
  /// It determines how SQLite converts stored values: <https://sqlite.org/datatype3.html>.
  public struct ColumnType: RawRepresentable, Hashable, Sendable {
    /// The type as written in SQL.
    public let rawValue: String

    /// Creates a type as written in SQL.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `TEXT`
    public static let text = ColumnType(rawValue: "TEXT")
    /// `INTEGER`
    public static let integer = ColumnType(rawValue: "INTEGER")
    /// `DOUBLE`
    public static let double = ColumnType(rawValue: "DOUBLE")
    /// `REAL`
    public static let real = ColumnType(rawValue: "REAL")
    /// `NUMERIC`
    public static let numeric = ColumnType(rawValue: "NUMERIC")
    /// `BOOLEAN`
    public static let boolean = ColumnType(rawValue: "BOOLEAN")
    /// `BLOB`
    public static let blob = ColumnType(rawValue: "BLOB")
    /// `DATE`
    public static let date = ColumnType(rawValue: "DATE")
    /// `DATETIME`
    public static let datetime = ColumnType(rawValue: "DATETIME")
    /// `ANY`, which stores values without conversion in a strict table.
    public static let any = ColumnType(rawValue: "ANY")
    /// `TEXT`, for JSON.
    public static let jsonText = ColumnType(rawValue: "TEXT")
    /// `BLOB`, for SQLite's binary format of JSON.
    public static let jsonb = ColumnType(rawValue: "BLOB")
  }

  /// What happens to referencing rows when the referenced row is deleted or its key changes.
  ///
  /// <https://sqlite.org/foreignkeys.html>
  public enum ForeignKeyAction: String, Hashable, Sendable {
    /// Deletes or updates the referencing rows too.
    case cascade = "CASCADE"
    /// Fails immediately, even if the foreign key is deferred.
    case restrict = "RESTRICT"
    /// Sets the referencing columns to NULL.
    case setNull = "SET NULL"
    /// Sets the referencing columns to their default values.
    case setDefault = "SET DEFAULT"
  }
}

extension Database.ConflictResolution? {
  /// ` ON CONFLICT …`; empty for the default.
  var clause: String {
    switch self {
    case nil, .abort: ""
    case let resolution?: " ON CONFLICT \(resolution.rawValue)"
    }
  }
}
