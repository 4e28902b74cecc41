import CofferCore

/// A type with a database table, for building requests.
///
/// ```swift
/// struct Player: TableRecord {
///   var id: Int64, name: String, score: Int
/// }
/// let request = Player.filter { $0.score >= 1000 }.order { $0.name }
/// ```
///
/// In closures, `$0` has the columns of the nested type `Columns` if there is one, or else the
/// stored properties as typed columns.
public protocol TableRecord {
  /// The columns for closures: a nested type, or else the stored properties.
  associatedtype Columns = RecordColumns<Self>

  /// The type of `$0` in closures.
  associatedtype DatabaseComponents = Columns.Type

  /// The argument of closures, `$0`.
  static var databaseComponents: DatabaseComponents { get }

  /// The name of the table.
  ///
  /// By default, it is the type's name in lower camel case: `player` for `Player`, `httpRequest`
  /// for `HTTPRequest`, `toefl` for `TOEFL`.
  static var databaseTableName: String { get }

  /// The selection of requests; by default, all columns.
  static var databaseSelection: [any SQLSelectable] { get }
}

extension TableRecord where DatabaseComponents == Columns.Type {
  /// The type of the columns.
  public static var databaseComponents: Columns.Type { Columns.self }
}

extension TableRecord {
  /// The type's name in lower camel case.
  public static var databaseTableName: String {
    TableNames.name(of: self)
  }

  /// All columns.
  public static var databaseSelection: [any SQLSelectable] { unsafe AllColumns.selection }

  /// Returns the number of columns of ``databaseSelection``.
  public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
    try all().columnCount(db)
  }
}
