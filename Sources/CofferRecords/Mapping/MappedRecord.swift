import CofferCore
import CofferQuery

/// A record with declared columns, one line per column, checked by the compiler.
///
/// ```swift
/// struct Player: MappedRecord {
///   var id: Int64?
///   var name: String
///   var score: Int?
///
///   static let mapping = Mapping(
///     Player.init(id:name:score:),
///     Field("id", \.id),
///     Field("name", \.name, .unique),
///     Field("score", \.score))
/// }
/// try Player.createTable(db)
/// var player = Player(id: nil, name: "Arthur", score: 10)
/// try player.insert(db)                                  // player.id is 1
/// let players = try Player.filter { $0.score > 3 }.fetchAll(db)
/// ```
///
/// The mapping provides fetching, persistence, the selected columns, the typed columns of closures,
/// and the table's definition. This is the fastest kind of record: values move directly between
/// properties and SQLite.
///
/// If the mapping doesn't match a query or the table, the first use throws.
public protocol MappedRecord: MappedValue, FetchableRecord, MutablePersistableRecord,
  ColumnNaming
{}

extension MappedRecord {
  /// Decodes a row by the mapping.
  ///
  /// - Throws: `RowDecodingError`, which names the record and the column, if the row lacks a column
  ///   or has a value that the property can't have.
  @inlinable
  public init(row: Row) throws { self = try Self.mapping.record(from: row) }

  /// The columns of the mapping.
  public static var databaseSelection: [any SQLSelectable] {
    // The first column checks the table, since SQLite treats unknown quoted names as strings.
    let mapping = mapping
    var selection: [any SQLSelectable] = mapping.columns.map { Column($0.name) }
    if let first = mapping.columns.first {
      let table = databaseTableName
      let checkedColumn = CheckedColumn(name: first.name, record: Self.self, table: table) { db in
        try mapping.check(db, table, isInsertion: false)
      }
      selection[0] = SQLSelection(node: checkedColumn)
    }
    return selection
  }

  /// Returns the column of a property; nil if it has none.
  public static func columnName(of property: PartialKeyPath<Self>) -> String? {
    mapping.columnName(of: property)
  }
}
