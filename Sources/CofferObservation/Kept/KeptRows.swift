import CofferCore
import Synchronization

/// What an observation keeps of a request's rows, and how single changed rows change it.
package protocol KeptSource: Sendable {
  associatedtype Value: Sendable
  associatedtype Content: Sendable

  var query: _ListQuery { get }
  /// Fetches the value, by the request itself.
  var fetchAll: @Sendable (Database) throws -> Value { get }

  /// Fetches the value, and what is kept beside it; nil for nothing.
  ///
  /// Where reads are recorded, those of the request are.
  func fetch(_ db: Database, _ plan: _ListQuery.Plan) throws -> (Value, Content?)

  /// Changes the content by the current state of some rows, and returns the value.
  ///
  /// - Parameter changed: The rowids, in ascending order.
  /// - Returns: Nil, with an undefined content, if it must be fetched.
  func value(
    of content: inout Content, after changed: [Int64], _ plan: _ListQuery.Plan, _ db: Database
  ) throws -> Value?

  /// Returns the largest number of changed rows by which the content is changed.
  func limit(_ content: Content, _ plan: _ListQuery.Plan) -> Int

  /// Whether the content is what the request fetches.
  func isEqual(_ content: Content, toFetchOf plan: _ListQuery.Plan, _ db: Database) throws -> Bool
}

typealias KeptList<Element: Sendable> = KeptRows<ListSource<Element>>

/// A value of a request's rows that is kept between the commits of an observation, and changed by
/// the rows that these have changed.
final class KeptRows<Source: KeptSource>: KeptFetching {
  private let source: Source
  let changes = ChangedRows()
  private let content = Mutex<Content?>(nil)
  /// What a fetch on a reader sees at least; nil if unknown.
  private let seenVersion = Mutex<Int64?>(nil)

  /// What is kept, and where it was fetched.
  private struct Content: Sendable {
    var rows: Source.Content
    let plan: _ListQuery.Plan
    let connection: ObjectIdentifier
    let meaningGeneration: Int
    /// The data version of the connection that has fetched the rows, or of the writer if a reader
    /// has fetched them; nil if unknown.
    var dataVersion: Int64?
    let schemaVersion: Int64
  }

  init(_ source: Source) { self.source = source }

  // MARK: Fetching

  /// Fetches the value, and keeps its rows if the query allows that.
  func fetch(_ db: Database) throws -> Source.Value {
    forget()
    guard let plan = source.query.plan(db) else {
      changes.stop()
      return try source.fetchAll(db)
    }
    // A pool's readers are read-only.
    let isOnWriter = !db.configuration.readonly
    let seenVersion = seenVersion.withLock(\.self)
    let fetched: (value: Source.Value, rows: Source.Content?)
    let version: Int64?
    let schemaVersion: Int64
    do {
      fetched = try source.fetch(db, plan)
      version = isOnWriter ? try db.mainDataVersion() : seenVersion
      schemaVersion = try db.mainSchemaVersion()
    } catch { return try source.fetchAll(db) }
    guard let rows = fetched.rows else {
      changes.stop()
      return fetched.value
    }
    changes.follow(plan.tableName, limit: source.limit(rows, plan))
    content.withLock {
      $0 = Content(
        rows: rows, plan: plan, connection: ObjectIdentifier(db),
        meaningGeneration: db.hooks.meaningGeneration, dataVersion: version,
        schemaVersion: schemaVersion)
    }
    return fetched.value
  }

  func confirm(in db: Database) {
    let isCertain = (try? db.hasSeenOwnCommitsOnly()) ?? false
    let version = isCertain ? try? db.mainDataVersion() : nil
    content.withLock { content in
      guard let found = content, found.connection != ObjectIdentifier(db) else { return }
      content?.dataVersion = version
    }
  }

  func noteCommits(seenBy db: Database) {
    let version = try? db.mainDataVersion()
    seenVersion.withLock { $0 = version }
  }

  func forget() { content.withLock { $0 = nil } }

  // MARK: Changing

  func update(_ db: Database) -> Source.Value? {
    // Taken out, so that its arrays have no other reference.
    guard var kept = content.withLock({ $0.take() }), let changed = changes.take() else {
      return nil
    }
    let value: Source.Value?
    do {
      value = try db.isolatedRead { db in
        guard try isCertain(kept, db),
          let value = try source.value(of: &kept.rows, after: changed, kept.plan, db)
        else { return nil }
        if db.configuration.verifiesObservedLists {
          let isEqual = try source.isEqual(kept.rows, toFetchOf: kept.plan, db)
          precondition(
            isEqual, "what is observed of \(kept.plan.tableName) isn't what its request fetches")
        }
        return value
      }
    } catch {
      // A full fetch meets the same error, or none.
      return nil
    }
    guard let value else { return nil }
    changes.follow(kept.plan.tableName, limit: source.limit(kept.rows, kept.plan))
    content.withLock { [kept] in $0 = kept }
    return value
  }

  /// Returns whether a connection sees the kept state of the database and the commits noted
  /// since, and nothing else, and whether the query still means the same.
  private func isCertain(_ kept: Content, _ db: Database) throws -> Bool {
    let generation = db.hooks.meaningGeneration
    guard kept.meaningGeneration == generation,
      generation == 0 || kept.connection == ObjectIdentifier(db),
      let version = kept.dataVersion, try db.mainDataVersion() == version,
      try db.mainSchemaVersion() == kept.schemaVersion
    else { return false }
    return try source.query.isCurrent(kept.plan, db)
  }
}
