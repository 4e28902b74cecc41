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

  private let path: String
  private let key: FileKey
  /// The connection of the held transaction.
  private var held: FileConnection?
  /// The one that the next transaction begins with; nil where it isn't open.
  private var next: FileConnection?
  /// What the held transaction sees; nil if there is none.
  private(set) var state: State?

  init(path: String, key: FileKey) throws {
    (self.path, self.key) = (path, key)
    next = try open()
  }

  /// As it can write, a descriptor that SQLite keeps open for its locks is used again, whatever the
  /// next connection is for.
  private func open() throws -> FileConnection {
    let connection = try FileConnection(path: path, key: key)
    SQLite.keepLogAtClose(try unsafe connection.connection)
    try connection.readSchema()
    return connection
  }

  /// What all connections know of the log right now.
  ///
  /// - Throws: ``CommitCaptureError/logIsGone`` if nobody can know it as long as there is a hold.
  mutating func index() throws -> LogIndex {
    guard let held else { throw Self.busy }
    if let index = try unsafe LogIndex(of: held.connection) { return index }
    // A transaction of SQLite's waits for a writer that has no core, and after one that was killed
    // recovers the index from the log.
    defer { endNext() }
    do {
      return try beginSeeing().index
    } catch let error as DatabaseError
      where [.SQLITE_BUSY, .SQLITE_PROTOCOL].contains(error.resultCode)
    {
      // An old SQLite recovers nothing beside a reader, which the hold is: all would wait for it.
      throw CommitCaptureError.logIsGone
    }
  }

  private static var busy: DatabaseError {
    DatabaseError(resultCode: .SQLITE_BUSY, message: "the write-ahead log is being changed")
  }

  /// Begins a transaction beside the one that is held, and returns what exactly it sees.
  mutating func beginNext() throws -> State {
    let (seen, pageCount) = try beginSeeing()
    return State(
      salts: seen.salts, frame: seen.frameCount, pageCount: pageCount,
      isFinal: seen.movedCount == seen.frameCount)
  }

  private mutating func beginSeeing() throws -> (index: LogIndex, pageCount: Int) {
    let next = try self.next ?? open()
    self.next = next
    // Without memory, the end of the one before can have failed.
    if try next.isInTransaction { try next.run("ROLLBACK") }
    try next.run("BEGIN")
    do {
      let pageCount = try next.integer("PRAGMA page_count")
      guard let seen = try unsafe LogIndex(readBy: next.connection) else { throw Self.busy }
      return (seen, pageCount)
    } catch {
      try? next.run("ROLLBACK")
      throw error
    }
  }

  /// Holds the transaction that has begun last, and ends the other one.
  mutating func advance(to state: State) throws {
    if self.state != nil { try held?.run("ROLLBACK") }
    swap(&held, &next)
    self.state = state
  }

  /// Ends the transaction that has begun last.
  func endNext() { try? next?.run("ROLLBACK") }

  /// Reads bytes of the database's file; fewer at its end.
  func read(count: Int, at offset: Int) throws -> [UInt8] {
    guard let held else { throw Self.busy }
    return try unsafe ReadOnlyFile(openedBy: held.connection).read(count: count, at: offset)
  }

  /// Takes the connection that has no transaction, for work outside of the hold.
  mutating func takeNext() throws -> FileConnection {
    let taken = try next ?? open()
    next = nil
    return taken
  }

  /// Gives the connection back.
  mutating func giveBack(_ connection: FileConnection) {
    if next == nil { next = connection } else { connection.close() }
  }

  /// Closes what only the next transaction needs.
  mutating func rest() {
    next?.close()
    next = nil
  }

  /// Ends the hold: the log may start again without being read.
  mutating func letGo() {
    if state != nil { try? held?.run("ROLLBACK") }
    state = nil
  }

  mutating func close() {
    held?.close()
    held = nil
    rest()
  }
}
