import CofferCore
import CofferQuery
import CofferRecords

/// What tells whether two rows are those of the same record.
enum ListIdentity<Record>: Sendable {
  /// Nothing: a record that changes is another one.
  case contents
  /// The primary key of a table, where the rows have its columns.
  case primaryKey(table: String)
  /// A function of records; those of equal rows are the same.
  case function(@Sendable (Record, Record) -> Bool)
}

/// What a row is found by in another list.
enum ListKey: Hashable {
  case value(DatabaseValue)
  case values([DatabaseValue])
  /// The row is like no other one, but for its duplicates.
  case contents(Row)

  func hash(into hasher: inout Hasher) {
    switch self {
    case .value(let value): hasher.combine(value)
    case .values(let values): hasher.combine(values)
    case .contents(let row):
      // Without the names of the columns, which are the same in all rows.
      for value in row.databaseValues { hasher.combine(value) }
    }
  }
}

/// The rows of a fetch, with their keys, and what was fetched alongside.
// SAFETY: the rows are copies of what a statement gave, whose values never change and can be read
// on any thread. What does change in a row belongs to who decodes it: records are made on the
// controller's own serial queue, of other `Row` objects.
struct FetchedList: @unchecked Sendable {
  var rows: [Row] = []
  var keys: [ListKey] = []
  /// The columns that make the keys; empty where whole rows do.
  var keyColumns: [String] = []
  var alongside: (any Sendable)?
}

/// How a list is fetched.
struct ListFetch<Record: FetchableRecord & _SendableMetatype>: Sendable {
  var request: AnyFetchRequest<Record>
  var identity: ListIdentity<Record>
  var alongside: (@Sendable (Database) throws -> any Sendable)?

  /// Fetches, and tells what region of the database the list depends on.
  ///
  /// - Returns: A failure where nothing can be fetched alongside: the region is known, and the next
  ///   commit may do better.
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
  /// The key in a column; the row where it is NULL.
  fileprivate init(row: Row, index: Int) {
    let value = row.databaseValue(at: index)
    self = value.isNull ? .contents(row) : .value(value)
  }

  /// Nil where all values are NULL, which tell nothing apart.
  init?(primaryKey values: [DatabaseValue]) {
    guard values.contains(where: { !$0.isNull }) else { return nil }
    self = values.count == 1 ? .value(values[0]) : .values(values)
  }
}
