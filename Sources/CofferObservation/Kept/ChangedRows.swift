import CofferCore
import Synchronization

/// The rows of a list's table that have changed since the list was fetched.
///
/// It may have more of them than have changed, but never fewer.
final class ChangedRows: Sendable {
  private struct Rows {
    var ids: [Int64] = []
    /// Whether other rows can have changed, too.
    var isUnknown = false

    mutating func add(_ id: Int64, limit: Int) {
      guard !isUnknown, ids.last != id else { return }
      ids.append(id)
      guard ids.count > limit else { return }
      ids = Array(Set(ids))
      if ids.count > limit / 2 { forget() }
    }

    mutating func forget() {
      ids = []
      isUnknown = true
    }

    mutating func add(_ other: Rows, limit: Int) {
      if other.isUnknown { return forget() }
      for id in other.ids { add(id, limit: limit) }
    }
  }

  private struct State {
    /// The table of the list; nil if there is no list.
    var tableName: String?
    /// The largest number of rows to note, with repetitions.
    var limit = 0
    /// The rows of the current transaction.
    var pending = Rows()
    var committed = Rows()
  }

  private let state = Mutex(State())

  /// Notes the changes of a table from now on.
  func follow(_ tableName: String, limit: Int) {
    state.withLock { state in
      state.tableName = tableName
      state.limit = 2 * limit
    }
  }

  /// Notes no rows any more.
  func stop() { state.withLock { $0.tableName = nil } }

  // MARK: Changes

  /// Notes a change.
  ///
  /// - Returns: Whether further changes matter.
  func note(_ event: DatabaseEvent) -> Bool {
    state.withLock { state in
      if event.tableName == state.tableName, event.databaseName == "main" {
        state.pending.add(event.rowID, limit: state.limit)
      } else {
        state.pending.forget()
      }
      return !state.pending.isUnknown
    }
  }

  /// Notes a change of unknown rows.
  func noteUnknown() { state.withLock { $0.pending.forget() } }

  func didCommit() {
    state.withLock { state in
      state.committed.add(state.pending, limit: state.limit)
      state.pending = Rows()
    }
  }

  func didRollback() { state.withLock { $0.pending = Rows() } }

  // MARK: Taking

  /// Forgets the committed changes, which a fetch that begins now sees.
  func clear() { state.withLock { $0.committed = Rows() } }

  /// Whether nothing has been committed since.
  var isEmpty: Bool {
    state.withLock { $0.committed.ids.isEmpty && !$0.committed.isUnknown }
  }

  /// Returns the rowids of the committed changes, in ascending order, and forgets them.
  ///
  /// - Returns: Nil if they are unknown.
  func take() -> [Int64]? {
    let rows = state.withLock { state in
      defer { state.committed = Rows() }
      return state.committed
    }
    guard !rows.isUnknown else { return nil }
    return rows.ids.count < 2 ? rows.ids : Set(rows.ids).sorted()
  }
}
