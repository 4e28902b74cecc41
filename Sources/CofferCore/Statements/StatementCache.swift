import CofferVault

/// The prepared statements of one connection, kept for the next request for their SQL: the least
/// recently used statement is evicted first.
///
/// The key is the exact bytes of the SQL: `String` considers texts equal that differ only in their
/// Unicode form, and SQLite doesn't.
///
/// The cache returns a statement only while no other reference to it exists: a statement that a
/// cursor reads, or that a caller has kept, is left alone, and a request for the same SQL gets
/// another one. Statements need not be returned explicitly; releasing the last reference is enough.
final class StatementCache {
  private struct Entry {
    let sql: String
    let hash: UInt64
    var statement: Statement
    var lastUse: UInt64
  }

  /// A `String` and its two machine words: the same words mean the same text as long as `sql` keeps
  /// it alive. A literal has the same words every time, so that most lookups end here, without
  /// hashing.
  private struct Recent {
    var sql: String
    var words: TextWords
    var entry: Int
    var generation: UInt64
  }

  private let capacity: Int
  @safe @exclusivity(unchecked) private var entries: [Entry] = []
  /// Indices of `entries` by hash of the SQL's bytes.
  private var indices: [UInt64: Int] = [:]
  @safe @exclusivity(unchecked) private var recents: [Recent?] = Array(repeating: nil, count: 16)
  /// Incremented whenever an index in `entries` can refer to another statement.
  @safe @exclusivity(unchecked) private var generation: UInt64 = 0
  @safe @exclusivity(unchecked) private var clock: UInt64 = 0
  @safe @exclusivity(unchecked) private(set) var statistics = StatementCacheStatistics()

  init(capacity: Int) { self.capacity = capacity }

  /// Returns the idle statement for `sql`, or the result of `prepare`.
  ///
  /// - Complexity: O(1) for a recently requested literal; otherwise O(*n*) in the length of the
  ///   SQL, plus `prepare` on a miss.
  func statement(for sql: String, orPrepare prepare: () throws -> Statement) throws -> Statement {
    if let statement = idleStatement(for: sql) { return statement }
    let statement = try prepare()
    if statement.facts.isWorthCaching { add(statement, for: sql) }
    return statement
  }

  /// Returns the idle statement for `sql`, if any; counts a hit or a miss.
  func idleStatement(for sql: String) -> Statement? {
    let words = TextWords(sql)
    let slot = words.slot
    if let recent = recents[slot], recent.words == words, recent.generation == generation,
      let statement = takeIdle(recent.entry)
    {
      return statement
    }
    let hash = StatementCache.hash(sql)
    if let index = indices[hash], StatementCache.isSame(entries[index].sql, sql),
      let statement = takeIdle(index)
    {
      recents[slot] = Recent(sql: sql, words: words, entry: index, generation: generation)
      return statement
    }
    statistics.misses += 1
    return nil
  }

  /// Caches a statement, unless one for the same SQL is already cached, and in use.
  func add(_ statement: Statement, for sql: String) {
    let hash = StatementCache.hash(sql)
    if let index = indices[hash], StatementCache.isSame(entries[index].sql, sql) { return }
    insert(statement, sql: sql, hash: hash)
  }

  private func takeIdle(_ index: Int) -> Statement? {
    guard isKnownUniquelyReferenced(&entries[index].statement) else { return nil }
    clock += 1
    entries[index].lastUse = clock
    statistics.hits += 1
    return entries[index].statement
  }

  private func insert(_ statement: Statement, sql: String, hash: UInt64) {
    guard capacity > 0 else { return }
    clock += 1
    let entry = Entry(sql: sql, hash: hash, statement: statement, lastUse: clock)
    if let index = indices[hash] {
      // Another text with the same hash: the newer one replaces it.
      replace(at: index, with: entry)
    } else if entries.count < capacity {
      indices[hash] = entries.count
      entries.append(entry)
    } else if let oldest = entries.indices.min(by: { entries[$0].lastUse < entries[$1].lastUse }) {
      replace(at: oldest, with: entry)
    }
  }

  private func replace(at index: Int, with entry: Entry) {
    statistics.evictions += 1
    generation += 1
    indices[entries[index].hash] = nil
    indices[entry.hash] = index
    entries[index] = entry
  }

  /// Removes all statements; statements in use stay alive while they are referenced.
  func removeAll() {
    generation += 1
    entries = []
    indices = [:]
    recents = Array(repeating: nil, count: 16)
  }

  var count: Int { entries.count }

  private static func hash(_ sql: String) -> UInt64 {
    var sql = sql
    return sql.withUTF8 { UnsafeRawBufferPointer($0).wordHash }
  }

  private static func isSame(_ lhs: String, _ rhs: String) -> Bool {
    SQLString(lhs) == SQLString(rhs)
  }
}

/// The counters of a connection's statement cache since the connection was opened.
public struct StatementCacheStatistics: Sendable, Hashable {
  /// The number of statements found in the cache.
  public internal(set) var hits = 0
  /// The number of statements that had to be prepared.
  public internal(set) var misses = 0
  /// The number of statements evicted to make room for others.
  public internal(set) var evictions = 0
}
