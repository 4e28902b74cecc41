import CofferCore

/// A read transaction that keeps a write-ahead log from being started again.
///
/// SQLite starts a log again when all of its frames are in the database file and no reader uses it.
/// A reader that began when they all were there reads the file alone: it lets the log start again
/// once, and keeps the new frames from the file. So as long as there is a hold, and the next one
/// begins before it ends, no frame can be missed. See <https://sqlite.org/wal.html#concurrency> and
/// the locks in <https://sqlite.org/walformat.html>.
struct LogHold {
  /// What the transaction sees.
  struct State {
    /// The salts of the log.
    let salts: [UInt8]
    /// The number of its frames.
    let frame: Int
    /// The number of the database's pages.
    let pageCount: Int
    /// Whether all frames were in the database file, so that the log can start again.
    let isFinal: Bool
  }

  private let connections: (FileConnection, FileConnection)
  private var usesFirst = true
  /// What the held transaction sees; nil if there is none.
  private(set) var state: State?

  init(path: String, key: FileKey) throws {
    connections = try (
      FileConnection(path: path, key: key, readonly: true),
      FileConnection(path: path, key: key, readonly: true)
    )
    try connections.0.readSchema()
    try connections.1.readSchema()
  }

  private var held: FileConnection { usesFirst ? connections.0 : connections.1 }
  private var next: FileConnection { usesFirst ? connections.1 : connections.0 }

  /// What all connections know of the log right now.
  ///
  /// - Throws: `SQLITE_BUSY` if the log is being changed all the time.
  func index() throws -> LogIndex { try index(of: held) }

  private func index(of connection: FileConnection) throws -> LogIndex {
    for _ in 0..<Self.attempts {
      if let index = try unsafe LogIndex(of: connection.connection) { return index }
    }
    throw Self.busy
  }

  private static let attempts = 10_000

  private static var busy: DatabaseError {
    DatabaseError(resultCode: .SQLITE_BUSY, message: "the write-ahead log is being changed")
  }

  /// Begins a transaction beside the one that is held, and returns what exactly it sees.
  func beginNext() throws -> State {
    // Without memory, the end of the one before can have failed.
    if try next.isInTransaction { try next.run("ROLLBACK") }
    try next.run("BEGIN")
    do {
      let pageCount = try next.integer("PRAGMA page_count")
      guard let seen = try unsafe LogIndex(readBy: next.connection) else { throw Self.busy }
      return State(
        salts: seen.salts, frame: seen.frameCount, pageCount: pageCount,
        isFinal: seen.movedCount == seen.frameCount)
    } catch {
      try? next.run("ROLLBACK")
      throw error
    }
  }

  /// Holds the transaction that has begun last, and ends the other one.
  mutating func advance(to state: State) throws {
    if self.state != nil { try held.run("ROLLBACK") }
    usesFirst.toggle()
    self.state = state
  }

  /// Ends the transaction that has begun last.
  func endNext() { try? next.run("ROLLBACK") }

  /// Ends the hold: the log may start again without being read.
  mutating func letGo() {
    if state != nil { try? held.run("ROLLBACK") }
    state = nil
  }

  func close() {
    connections.0.close()
    connections.1.close()
  }
}
