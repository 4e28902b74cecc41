import CofferCore
import CofferObservation
import CofferQuery

extension QueryBuilder where Document: Sendable {
  /// The documents of the query as a list that follows changes of single rows; nil if it isn't one.
  var listSource: ListSource<Document>? {
    guard isList else { return nil }
    return ListSource(query: listQuery) { _, request, isWanted in
      var documents: [Document] = []
      let cursor = try StoredDocument<Document>.fetchCursor(request.fetchedStatement)
      let execution = cursor._execution
      while try execution.advance() {
        guard isWanted(execution) else { continue }
        do { documents.append(try cursor._element().document) } catch {
          throw execution.fail(error)
        }
      }
      return documents
    } fetchAll: { db in
      try fetchMany(collection.prepare(db))
    } region: { db in
      let statement = try selection(collection.prepare(db))
      defer { statement.clearBindings() }
      return statement.databaseRegion
    }
  }
}

extension QueryBuilder where Document: _SendableMetatype {
  /// The number of the query's documents, which follows changes of single rows; nil if it can't.
  var countSource: CountSource? {
    isList ? CountSource(listQuery) { try fetchCount(collection.prepare($0)) } : nil
  }

  private var isList: Bool {
    query.isRowwise && query.failure == nil
      && (collection.schema.expiry == nil || query.includesExpired)
  }

  private var listQuery: _ListQuery {
    _ListQuery { db in
      let sql = try selecting(collection.columnList, of: valid(collection.prepare(db)), db)
      let (text, arguments) = try sql.build(db)
      return _ListQuery.Query(sql: text, arguments: arguments)
    } make: { db, plain in
      guard try !query.mayReadTables(db) else { return nil }
      let tableName = try db.listedTable(collection.tableName)
      func listing(_ isDescending: Bool, isPart: Bool) throws -> _ListQuery.Query {
        let sql = query.listing(
          collection.columnList, from: collection.table, isDescending: isDescending,
          isPart: isPart)
        let (text, arguments) = try sql.build(db)
        return _ListQuery.Query(sql: text, arguments: arguments)
      }
      let direction = try _ListQuery.isDescending(plain, db) { try listing($0, isPart: false) }
      guard let isDescending = direction else { return nil }
      return _ListQuery.Plan(
        tableName: tableName, plain: plain, whole: try listing(isDescending, isPart: false),
        part: try listing(isDescending, isPart: true), argumentsBeforeRowIDs: 0,
        rowIDColumn: collection.schema.columns.count, ownColumnCount: nil,
        rowIDOrder: query.orders.isEmpty ? isDescending ? .descending : .ascending : nil)
    }
  }
}
