import CofferVault

extension Database {
  /// Sets whether a transaction that is larger than the cache writes pages before its commit.
  ///
  /// With a write-ahead log it must not, since it can lose commits (SQLite 3.46.1, and others): a
  /// page that is written to the log twice has its frame overwritten, and from then on frames get
  /// their checksums at the commit, from the first overwritten one on. If a savepoint is undone,
  /// the log is continued before that frame, and the frames up to it keep no checksum. The
  /// connection doesn't notice, but whoever opens the log next ignores this commit, and all later
  /// ones. So a transaction stays in memory, unless nothing in it can be undone alone.
  func setSpilling(_ spills: Bool) throws {
    try withoutTracing { try runSetting("PRAGMA cache_spill = \(spills ? "ON" : "OFF")") }
  }

  /// Executes `body`, which undoes no savepoint, and changes more pages than memory should hold.
  func spilling<T>(_ body: () throws -> T) rethrows -> T {
    let isOff = (try? withoutTracing { try setting("PRAGMA cache_spill") }) == "0"
    if isOff { try? setSpilling(true) }
    defer { if isOff { try? setSpilling(false) } }
    return try body()
  }

  /// Rebuilds the file.
  func vacuum() throws {
    try ReadOnlyFile.retryingReads(of: isInMemory ? [] : [path]) {
      try spilling { try execute(sql: "VACUUM") }
    }
  }
}
