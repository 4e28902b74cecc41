import CofferCore

/// A type with a database table, from which requests can be made.
///
/// ```swift
/// struct Player: TableRecord {
///   var id: Int64, name: String, score: Int
/// }
/// let request = Player.filter { $0.score >= 1000 }.order { $0.name }
/// ```
///
/// In closures, `$0` is the type's own `Columns`, if it has a nested type of that
/// name, and otherwise its stored properties as typed columns.
public protocol TableRecord {
  /// The columns that closures get: a nested type, or else the stored properties.
  associatedtype Columns = RecordColumns<Self>

  /// What `$0` is in closures.
  associatedtype DatabaseComponents = Columns.Type

  /// What closures get as `$0`.
  static var databaseComponents: DatabaseComponents { get }

  /// The name of the table: by default the type's name with a small first letter,
  /// `player` for `Player`, `httpRequest` for `HTTPRequest`, `toefl` for `TOEFL`.
  static var databaseTableName: String { get }

  /// What is fetched of a row: all columns, by default.
  static var databaseSelection: [any SQLSelectable] { get }
}

extension TableRecord where DatabaseComponents == Columns.Type {
  /// The type of the columns.
  public static var databaseComponents: Columns.Type { Columns.self }
}

extension TableRecord {
  /// The type's name with a small first letter.
  public static var databaseTableName: String {
    TableNames.name(of: self)
  }

  /// All columns.
  public static var databaseSelection: [any SQLSelectable] { AllColumns.selection }

  /// The number of columns that ``databaseSelection`` has.
  public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
    try all().columnCount(db)
  }
}
