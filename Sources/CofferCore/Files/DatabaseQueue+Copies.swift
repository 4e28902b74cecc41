extension DatabaseQueue {
  /// Returns an in-memory copy of a file.
  ///
  /// - Parameter configuration: The configuration of both the file and its copy, which have the
  ///   same key.
  public static func inMemoryCopy(
    fromPath path: String, configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    try copy(of: path, configuration) { try DatabaseQueue(configuration: $0) }
  }

  /// Returns a copy of a file that is discarded with the queue.
  ///
  /// SQLite treats it as a temporary database, which Coffer keeps in memory, so nothing can be left
  /// on disk.
  /// - Parameter configuration: The configuration of both the file and its copy, which have the
  ///   same key.
  public static func temporaryCopy(
    fromPath path: String, configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    try copy(of: path, configuration) { try DatabaseQueue(path: "", configuration: $0) }
  }

  private static func copy(
    of path: String, _ configuration: Configuration,
    _ open: (Configuration) throws -> DatabaseQueue
  ) throws -> DatabaseQueue {
    var sourceConfiguration = configuration
    sourceConfiguration.readonly = true
    let source = try DatabaseQueue(path: path, configuration: sourceConfiguration)
    var copyConfiguration = configuration
    copyConfiguration.readonly = false
    copyConfiguration.journalMode = .delete
    copyConfiguration.freshness = nil
    let copy = try open(copyConfiguration)
    try source.backup(to: copy)
    try source.close()
    if configuration.readonly {
      try copy.inDatabase { try $0.execute(sql: "PRAGMA query_only = ON") }
    }
    return copy
  }
}
