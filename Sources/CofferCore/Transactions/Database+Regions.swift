extension Database {
  // MARK: Regions that are read

  /// Executes `body`, and gathers the region that its statements read.
  package func recordingRegion<T>(_ body: () throws -> T) throws -> (T, DatabaseRegion) {
    hooks.recordedRegions.append(DatabaseRegion())
    accessState.insert(.recordingRegion)
    var region = DatabaseRegion()
    let result: T
    do {
      defer {
        region = hooks.recordedRegions.removeLast()
        if hooks.recordedRegions.isEmpty {
          accessState.remove(.recordingRegion)
        } else {
          record(region)
        }
      }
      result = try body()
    }
    return (result, region)
  }

  /// Makes a value that is observed depend on a region, as if it had been read.
  ///
  /// It has no effect outside of an observation that finds out by itself what
  /// it depends on.
  public func registerAccess(to region: @autoclosure () -> some DatabaseRegionConvertible) throws {
    guard accessState.contains(.recordingRegion) else { return }
    record(try region().databaseRegion(self))
  }

  func record(_ region: DatabaseRegion) {
    guard let last = hooks.recordedRegions.indices.last else { return }
    hooks.recordedRegions[last].formUnion(region)
  }

  // MARK: Regions that have changed

  /// Tells observers that something in a region has changed which SQLite
  /// doesn't tell of, such as changes made through C functions.
  ///
  /// Outside of a transaction, it makes one, so that observers see a commit.
  /// - Throws: `SQLITE_READONLY` where the database can't be written.
  public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
    try checkAccess()
    guard !configuration.readonly, !accessState.contains(.readOnly) else {
      throw DatabaseError(
        resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database",
        hint: "Changes are notified where the database is written.")
    }
    let region = try region.databaseRegion(self)
    guard !region.isEmpty, accessState.contains(.observed) else { return }
    let kinds = try region.impactfulEventKinds ?? allEventKinds()
    guard isInsideTransaction else {
      return try inTransaction(.immediate) {
        observation.notifyChanges(kinds: kinds)
        return .commit
      }
    }
    observation.notifyChanges(kinds: kinds)
  }

  private func allEventKinds() throws -> [DatabaseEventKind] {
    let tables = try String.fetchAll(
      self,
      sql: """
        SELECT name FROM sqlite_master WHERE type = 'table'
        UNION SELECT name FROM sqlite_temp_master WHERE type = 'table'
        """)
    return tables.flatMap {
      [.insert(tableName: $0), .delete(tableName: $0)] as [DatabaseEventKind]
    }
  }
}
