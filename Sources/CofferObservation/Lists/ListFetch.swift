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

/// The rows of a fetch with their keys, and the value fetched alongside.
// SAFETY: the rows are copies of a statement's results, whose values never change and can be read
// on any thread. The mutable state of a row is only used by the code that decodes it: records are
// decoded on the controller's own serial queue, from other `Row` objects.
struct FetchedList: @unchecked Sendable {
  var rows: [Row] = []
  var keys: [ListKey] = []
  /// The columns of the keys; empty if whole rows are the keys.
  var keyColumns: [String] = []
  var alongside: (any Sendable)?
}

/// The parameters of a list's fetch.
struct ListFetch<Record: FetchableRecord & _SendableMetatype>: Sendable {
  var request: AnyFetchRequest<Record>
  var identity: ListIdentity<Record>
  var alongside: (@Sendable (Database) throws -> any Sendable)?

  /// Fetches the list, and the region of the database that it depends on.
  ///
  /// - Returns: A failure if the value alongside can't be fetched: the region is known, and the
  ///   fetch after the next commit can succeed.
  func fetch(_ db: Database) throws -> (Result<FetchedList, any Error>, DatabaseRegion) {
    let (rows, region) = try db.recordingRegion { try Row.fetchAll(db, request) }
    var list = FetchedList(rows: rows)
    try setKeys(of: &list, db)
    do { list.alongside = try alongside?(db) } catch { return (.failure(error), region) }
    return (.success(list), region)
  }

  private func setKeys(of list: inout FetchedList, _ db: Database) throws {
    guard case .primaryKey(let table) = identity, let first = list.rows.first,
      let columns = try db.primaryKeyIfAny(table)?.columns,
      case let indices = columns.compactMap({ first.index(ofColumn: $0) }),
      indices.count == columns.count, let index = indices.first
    else {
      list.keys = list.rows.map { .contents($0) }
      return
    }
    list.keyColumns = columns
    if indices.count == 1 {
      list.keys = list.rows.map { ListKey(row: $0, index: index) }
    } else {
      list.keys = list.rows.map { row in
        ListKey(primaryKey: indices.map { row.databaseValue(at: $0) }) ?? .contents(row)
      }
    }
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
