/// What a pragma reads, as a statement or as the table-valued function of its name.
enum PragmaReading {
  /// Nothing that a statement can change.
  case nothing
  /// The schemas of all databases.
  case schema
  /// A number in the header of the file.
  case storedValue
  /// Possibly everything.
  case database

  /// What precedes a pragma's name in the name of its table-valued function.
  static let functionPrefix = "pragma_"

  /// - Parameter name: In lower case.
  init(_ name: String) {
    if PragmaReading.isStoredValue(name) {
      self = .storedValue
    } else if PragmaReading.schemaPragmas.contains(name) {
      self = .schema
    } else if PragmaReading.settings.contains(name) || name.hasPrefix("cipher_") {
      self = .nothing
    } else {
      self = .database
    }
  }

  /// Returns whether a pragma reads and sets a number in the header of the file.
  static func isStoredValue(_ name: String) -> Bool {
    name == "user_version" || name == "application_id"
  }

  private static let schemaPragmas: Set<String> = [
    "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
    "foreign_key_list", "database_list", "schema_version",
  ]

  /// Settings of the connection and facts about the library, which no transaction changes.
  private static let settings: Set<String> = [
    "analysis_limit", "automatic_index", "auto_vacuum", "busy_timeout", "cache_size",
    "cache_spill", "case_sensitive_like", "cell_size_check", "checkpoint_fullfsync",
    "collation_list", "compile_options", "defer_foreign_keys", "encoding", "foreign_keys",
    "fullfsync", "function_list", "hard_heap_limit", "ignore_check_constraints", "journal_mode",
    "journal_size_limit", "legacy_alter_table", "locking_mode", "max_page_count", "mmap_size",
    "module_list", "page_size", "pragma_list", "query_only", "read_uncommitted",
    "recursive_triggers", "reverse_unordered_selects", "secure_delete", "soft_heap_limit",
    "synchronous", "temp_store", "threads", "trusted_schema", "wal_autocheckpoint",
    "writable_schema",
  ]
}
