import CofferCore
import CofferQuery
import CofferRecords

/// The criterion by which two rows belong to the same record.
enum ListIdentity<Record>: Sendable {
  /// The whole row: a changed record counts as another one.
  case contents
  /// The primary key of a table, if the rows contain its columns.
  case primaryKey(table: String)
  /// A function of records; records of equal rows are the same.
  case function(@Sendable (Record, Record) -> Bool)
}

/// The key by which a row is found in another list.
enum ListKey: Hashable {
  case value(DatabaseValue)
  case values([DatabaseValue])
  /// The whole row, if it has no other key; equal only to its duplicates.
  case contents(Row)

  func hash(into hasher: inout Hasher) {
    switch self {
    case .value(let value): hasher.combine(value)
    case .values(let values): hasher.combine(values)
    case .contents(let row):
      // Omits the column names, which are the same in all rows.
      for value in row.databaseValues { hasher.combine(value) }
    }
  }
}

/// A row of a list.
// SAFETY: the row is a copy of a statement's result, whose values never change and can be read on
// any thread. The mutable state of a row is only used by the code that decodes it: records are
// decoded on the controller's own serial queue, from other `Row` objects.
struct ListRow: @unchecked Sendable {
  let row: Row
}

extension ListRow: Equatable {
  static func == (lhs: ListRow, rhs: ListRow) -> Bool { lhs.row == rhs.row }
}

/// The rows of a fetch with their keys, and the value fetched alongside.
// SAFETY: the keys have values that never change, and such rows as the list itself.
struct FetchedList: @unchecked Sendable {
  var rows: [ListRow] = []
  /// The keys of the rows, once they were made.
  private(set) var keys: [ListKey] = []
  /// The columns of the keys; empty if whole rows are the keys.
  private(set) var keyColumns: [String] = []
  private var keyIndices: [Int] = []
  var alongside: (any Sendable)?

  init() {}

  /// - Parameter keyColumns: The columns of the key that rows have if they have these columns.
  init(rows: [ListRow], keyColumns: [String] = []) {
    self.rows = rows
    guard let first = rows.first?.row,
      case let indices = keyColumns.compactMap({ first.index(ofColumn: $0) }),
      indices.count == keyColumns.count
    else { return }
    self.keyColumns = keyColumns
    keyIndices = indices
  }

  /// Makes the keys of the rows, unless they were made.
  mutating func makeKeys() {
    guard keys.count < rows.count else { return }
    switch keyIndices.count {
    case 0: keys = rows.map { .contents($0.row) }
    case 1:
      let index = keyIndices[0]
      keys = rows.map { ListKey(row: $0.row, index: index) }
    default:
      keys = rows.map { row in
        ListKey(primaryKey: keyIndices.map { row.row.databaseValue(at: $0) }) ?? .contents(row.row)
      }
    }
  }
}

/// The parameters of a list's fetch.
struct ListFetch<Record: FetchableRecord & _SendableMetatype>: Sendable {
  var request: AnyFetchRequest<Record>
  var identity: ListIdentity<Record>
  var alongside: (@Sendable (Database) throws -> any Sendable)?

  /// Fetches the list, and the region of the database that it depends on.
  ///
  /// - Parameter kept: What fetches the rows, and keeps them; nil to fetch them alone.
  /// - Returns: A failure if the value alongside can't be fetched: the region is known, and the
  ///   fetch after the next commit can succeed.
  func fetch(
    _ db: Database, _ kept: KeptList<ListRow>?
  ) throws -> (Result<FetchedList, any Error>, DatabaseRegion) {
    let (rows, region) = try db.recordingRegion {
      try kept.map { try $0.fetch(db) } ?? Row.fetchAll(db, request).map { ListRow(row: $0) }
    }
    var list = try self.list(of: rows, db)
    do { list.alongside = try alongside?(db) } catch { return (.failure(error), region) }
    return (.success(list), region)
  }

  /// Returns the list of some rows, without a value alongside.
  func list(of rows: [ListRow], _ db: Database) throws -> FetchedList {
    guard case .primaryKey(let table) = identity, !rows.isEmpty,
      let columns = try db.primaryKeyIfAny(table)?.columns
    else { return FetchedList(rows: rows) }
    return FetchedList(rows: rows, keyColumns: columns)
  }

  /// Returns what keeps the rows between commits; nil if each fetch needs the database.
  func makeKeptList() -> KeptList<ListRow>? {
    guard alongside == nil, let query = request._listQuery() else { return nil }
    return KeptList(
      ListSource(query: query) { db, request, isWanted in
        let cursor = try request.rowCursor(db)
        let execution = cursor._execution
        var rows: [ListRow] = []
        while let row = try cursor.next() {
          guard isWanted(execution) else { continue }
          rows.append(ListRow(row: row.copy()))
        }
        return rows
      } fetchAll: { [request] in
        try Row.fetchAll($0, request).map { ListRow(row: $0) }
      } region: { [request] in
        try request.databaseRegion($0)
      })
  }
}

extension ListKey {
  /// Creates a key from a column; the whole row if the column is NULL.
  fileprivate init(row: Row, index: Int) {
    let value = row.databaseValue(at: index)
    self = value.isNull ? .contents(row) : .value(value)
  }

  /// Creates a key from a primary key; nil if all values are NULL, which identify no row.
  init?(primaryKey values: [DatabaseValue]) {
    guard values.contains(where: { !$0.isNull }) else { return nil }
    self = values.count == 1 ? .value(values[0]) : .values(values)
  }
}
