import CofferCore
import CofferQuery

/// A record whose columns are declared, one line for each, and checked by the compiler.
///
/// ```swift
/// struct Player: MappedRecord {
///   var id: Int64?, name: String, score: Int?
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
/// From the mapping follow fetching, persistence, the columns that are selected, the typed columns
/// of closures, and the table's definition. It is the fastest kind of record: values go between
/// properties and SQLite without anything in between.
///
/// What doesn't fit a query or the table is an error at the first use.
public protocol MappedRecord: MappedValue, FetchableRecord, MutablePersistableRecord,
  ColumnNaming
{}

extension MappedRecord {
  /// The record that a row holds, by the mapping.
  ///
  /// - Throws: `RowDecodingError`, which names the record and the column, where the row lacks a
  ///   column, or has a value that the property can't have.
  @inlinable
  public init(row: Row) throws { self = try Self.mapping.record(from: row) }

  /// The columns of the mapping.
  public static var databaseSelection: [any SQLSelectable] {
    // The first one looks at the table, since SQLite takes unknown names in quotes for texts.
    let mapping = mapping
    var selection: [any SQLSelectable] = mapping.columns.map { Column($0.name) }
    if let first = mapping.columns.first {
      selection[0] = SQLSelection(
        node: CheckedColumn(name: first.name, mapping: mapping, table: databaseTableName))
    }
    return selection
  }

  /// The column that the mapping has for a property; nil for none.
  public static func columnName(of property: PartialKeyPath<Self>) -> String? {
    mapping.columnName(of: property)
  }
}
