extension DatabaseQueue {
  /// A copy of a file, in memory.
  ///
  /// - Parameter configuration: How the file is opened, and its copy: both have its key.
  public static func inMemoryCopy(
    fromPath path: String, configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    try copy(of: path, configuration) { try DatabaseQueue(configuration: $0) }
  }

  /// A copy of a file that is gone when the queue is.
  ///
  /// SQLite holds it as a temporary database, which this library keeps in memory: there is nothing
  /// on disk that could be left behind.
  /// - Parameter configuration: How the file is opened, and its copy: both have its key.
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
    copyConfiguration.journalMode = .default
    let copy = try open(copyConfiguration)
    try source.backup(to: copy)
    try source.close()
    if configuration.readonly {
      try copy.inDatabase { try $0.execute(sql: "PRAGMA query_only = ON") }
    }
    return copy
  }
}
