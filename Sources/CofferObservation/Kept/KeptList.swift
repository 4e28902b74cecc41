import CofferCore
import Synchronization

/// A list that is kept between the commits of an observation, and changed by the rows that these
/// have changed.
final class KeptList<Element: Sendable>: KeptFetching {
  private let source: ListSource<Element>
  let changes = ChangedRows()
  private let content = Mutex<Content?>(nil)
  /// What a fetch on a reader sees at least; nil if unknown.
  private let seenVersion = Mutex<Int64?>(nil)

  /// A fetched list, and where it was fetched.
  private struct Content: Sendable {
    var list: ListContent<Element>
    let plan: _ListQuery.Plan
    let connection: ObjectIdentifier
    let meaningGeneration: Int
    /// The data version of the connection that has fetched the list, or of the writer if a reader
    /// has fetched it; nil if unknown.
    var dataVersion: Int64?
  }

  init(_ source: ListSource<Element>) { self.source = source }

  // MARK: Fetching

  /// Fetches the list, and keeps it if its query allows that.
  func fetch(_ db: Database) throws -> [Element] {
    forget()
    guard let plan = source.query.plan(db) else {
      changes.stop()
      return try source.fetchAll(db)
    }
    // A pool's readers are read-only.
    let isOnWriter = !db.configuration.readonly
    let seenVersion = seenVersion.withLock(\.self)
    var rowIDs = ContiguousArray<Int64>()
    let elements: [Element]
    let version: Int64?
    do {
      elements = try db.unrecorded {
        try source.decode(db, plan.wholeRequest(db)) {
          rowIDs.append($0.integer(at: plan.rowIDColumn))
        }
      }
      version = isOnWriter ? try db.mainDataVersion() : seenVersion
    } catch { return try source.fetchAll(db) }
    if db.isRecordingRegion {
      let region = try source.region(db)
      try db.registerAccess(to: region)
    }
    changes.follow(plan.tableName, limit: ListContent<Element>.limit(count: rowIDs.count, plan))
    content.withLock {
      $0 = Content(
        list: ListContent(rowIDs: rowIDs, elements: elements), plan: plan,
        connection: ObjectIdentifier(db), meaningGeneration: db.hooks.meaningGeneration,
        dataVersion: version)
    }
    return elements
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

  func update(_ db: Database) -> [Element]? {
    // Taken out, so that its arrays have no other reference.
    guard var kept = content.withLock({ $0.take() }), let changed = changes.take() else {
      return nil
    }
    do {
      let isChanged = try db.isolatedRead { db in
        guard try isCertain(kept, db) else { return false }
        guard try changed.isEmpty || kept.list.apply(changed, kept.plan, db, source.decode) else {
          return false
        }
        if db.configuration.verifiesObservedLists { try verify(kept, db) }
        return true
      }
      guard isChanged else { return nil }
    } catch {
      // A full fetch meets the same error, or none.
      return nil
    }
    let elements = kept.list.elements
    changes.follow(
      kept.plan.tableName,
      limit: ListContent<Element>.limit(count: elements.count, kept.plan))
    content.withLock { [kept] in $0 = kept }
    return elements
  }

  /// Stops the program if the list isn't what the request fetches.
  private func verify(_ kept: Content, _ db: Database) throws {
    var rowIDs = ContiguousArray<Int64>()
    _ = try source.decode(db, kept.plan.wholeRequest(db)) {
      rowIDs.append($0.integer(at: kept.plan.rowIDColumn))
    }
    let fetched = try source.fetchAll(db)
    let isEqual =
      rowIDs == kept.list.rowIDs && fetched.count == kept.list.elements.count
      && zip(fetched, kept.list.elements).allSatisfy { areEqual($0, $1) }
    precondition(
      isEqual, "an observed list of \(kept.plan.tableName) isn't what its request fetches")
  }

  /// Compares two elements; those of a type without equality count as equal.
  private func areEqual(_ lhs: Element, _ rhs: Element) -> Bool {
    func compare<E: Equatable>(_ lhs: E) -> Bool { lhs == rhs as? E }
    guard let lhs = lhs as? any Equatable else { return true }
    return compare(lhs)
  }

  /// Returns whether a connection sees the list's state of the database and the commits noted
  /// since, and nothing else, and whether the query still means the same.
  private func isCertain(_ kept: Content, _ db: Database) throws -> Bool {
    let generation = db.hooks.meaningGeneration
    guard kept.meaningGeneration == generation,
      generation == 0 || kept.connection == ObjectIdentifier(db),
      let version = kept.dataVersion, try db.mainDataVersion() == version
    else { return false }
    return try source.query.isCurrent(kept.plan, db)
  }
}
