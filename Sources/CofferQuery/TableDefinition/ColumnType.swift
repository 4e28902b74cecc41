import CofferCore

extension Database {
  /// The declared type of a column.
  ///
  /// SQLite derives from it how values are converted when they are stored:
  /// <https://sqlite.org/datatype3.html>.
  public struct ColumnType: RawRepresentable, Hashable, Sendable {
    /// The type as it is written in SQL.
    public let rawValue: String

    /// The type as it is written in SQL.
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
    /// `ANY`, which keeps values as they are in a strict table.
    public static let any = ColumnType(rawValue: "ANY")
    /// `TEXT`, for JSON.
    public static let jsonText = ColumnType(rawValue: "TEXT")
    /// `BLOB`, for SQLite's binary form of JSON.
    public static let jsonb = ColumnType(rawValue: "BLOB")
  }

  /// What happens to rows that refer to a row that is deleted or gets another key:
  /// <https://sqlite.org/foreignkeys.html>.
  public enum ForeignKeyAction: String, Hashable, Sendable {
    /// They are deleted or changed too.
    case cascade = "CASCADE"
    /// They forbid it, at once even where the foreign key is deferred.
    case restrict = "RESTRICT"
    /// They refer to nothing.
    case setNull = "SET NULL"
    /// They get the default values of their columns.
    case setDefault = "SET DEFAULT"
  }
}

extension Database.ConflictResolution? {
  /// ` ON CONFLICT …`; nothing for what happens by default.
  var clause: String {
    switch self {
    case nil, .abort: ""
    case let resolution?: " ON CONFLICT \(resolution.rawValue)"
    }
  }
}
