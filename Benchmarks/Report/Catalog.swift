/// A table of the documents, whose figures come from a run.
package struct PublishedTable: Sendable {
  /// A row: a benchmark under the name that the documents give it.
  package struct Row: Sendable {
    /// The name of the benchmark.
    package var benchmark: String
    /// The work in Markdown.
    package var title: String
    /// GRDB's ratio; nil if it wasn't measured.
    package var grdb: Double?
    /// The goal of the table; nil for the benchmark's own.
    package var goal: Double?

    init(
      _ benchmark: String, _ title: String? = nil, grdb: Double? = nil, goal: Double? = nil
    ) {
      self.benchmark = benchmark
      self.title = title ?? benchmark
      self.grdb = grdb
      self.goal = goal
    }
  }

  /// The name in the markers of the documents.
  package var name: String
  /// The heading of the column of ratios.
  package var heading: String
  package var rows: [Row]

  /// All tables of benchmarks. Benchmarks in none of them are listed in the table "others".
  package static let all = [main, cipher, records, concurrency, documents]

  /// The figures of GRDB are those of 2026-11-22: version 7.8, linked to the same SQLCipher 4.6.1,
  /// C without SQLite's mutex.
  package static let main = PublishedTable(
    name: "main", heading: "Coffer",
    rows: [
      Row(
        "cursor, 10 integer columns by index", "cursor, 10 integer columns by index", grdb: 1.37),
      Row("cursor, 10 integer columns by name", "cursor, by name", grdb: 2.21),
      Row(
        "one integer column, Int.fetchAll", "one integer column, `Int.fetchAll`", grdb: 1.56),
      Row("Row.fetchAll, 10 integer columns", "`Row.fetchAll`", grdb: 2.66),
      Row(
        "records, init(row:) by name, cursor", "records, `init(row:)` by name", grdb: 2.33),
      Row("records, mapping, cursor", "records, declared mapping"),
      Row("Codable records, cursor of 10 integer columns", "records, Codable", grdb: 4.27),
      Row("fetchOne(key:), 10 columns", "`fetchOne(key:)` by primary key", grdb: 10.7),
      Row(
        "fetchOne(key:), 10 columns, each in its own read {}",
        "the same, each in its own `read {}`", grdb: 13.2),
      Row(
        "insert of 10 integers, execute(arguments:)",
        "insert through a statement, `execute(arguments:)`", grdb: 2.16),
      Row(
        "insert of records of 10 integers, encode(to:)", "insert records, `encode(to:)`",
        grdb: 5.73),
      Row("insert of records, mapping", "insert records, declared mapping"),
      Row("Codable records, insert of 10 integers", "insert records, Codable", grdb: 6.88),
    ])

  /// With all pages in caches of one size, so that a row's own cost isn't hidden behind that of
  /// its page. GRDB wasn't measured so.
  package static let cached = PublishedTable(
    name: "cached", heading: "ratio to C",
    rows: [
      Row(
        "cursor, 10 integer columns by index", "cursor, 10 integer columns by index", goal: 1.05),
      Row("cursor, 10 integer columns by name", "cursor, by name", goal: 1.08),
      Row(
        "one integer column, Int.fetchAll", "one integer column, `Int.fetchAll`", goal: 1.10),
      Row("Row.fetchAll, 10 integer columns", "`Row.fetchAll`", goal: 1.40),
      Row(
        "records, init(row:) by name, cursor", "records, `init(row:)` by name", goal: 1.10),
      Row("records, mapping, cursor", "records, declared mapping", goal: 1.10),
      Row(
        "Codable records, cursor of 10 integer columns", "records, Codable", goal: 1.60),
      Row(
        "the least decoder of Codable, 10 integer columns",
        "Swift over the C API with the least decoder that `Codable` can have"),
      Row("including(required:), Codable", "a joined record in each, Codable", goal: 1.70),
      Row("fetchOne(key:), 10 columns", "`fetchOne(key:)` by primary key", goal: 1.10),
      Row(
        "fetchOne(key:), 10 columns, each in its own read {}",
        "the same, each in its own `read {}`", goal: 1.25),
      Row(
        "insert of 10 integers, execute(arguments:)",
        "insert through a statement, `execute(arguments:)`", goal: 1.20),
      Row(
        "insert of records of 10 integers, encode(to:)", "insert records, `encode(to:)` by name",
        goal: 1.15),
      Row("Codable records, insert of 10 integers", "insert records, Codable", goal: 1.40),
      Row(
        "the least encoder of Codable, insert of 10 integers",
        "Swift over the C API with the least encoder that `Codable` can have"),
      Row("insertAll of records of 10 integers", "`insertAll`", goal: 1.10),
      Row("Cipher: bulk insert", "bulk insert, beside C on the stock provider", goal: 0.95),
      Row("documents, bulk insert of 10 integers", "documents, bulk insert", goal: 1.45),
      Row("documents, fetchMany of 10 integers", "documents, `fetchMany`", goal: 1.45),
    ])

  /// Their baseline is C with SQLCipher's own provider, in another process.
  package static let cipher = PublishedTable(
    name: "cipher", heading: "ratio to C on the stock provider",
    rows: [
      Row("Cipher: full scan", "full scan"),
      Row("Cipher: full scan, HMAC-SHA256", "full scan with HMAC-SHA256, C with HMAC-SHA512"),
      Row("Cipher: point read of a cold page", "point read of a page that isn't in the cache"),
      Row("Cipher: bulk insert", "bulk insert"),
      Row("Cipher: one-row commits", "commit of one row, WAL, `synchronous = NORMAL`"),
      Row("Whole file: authentication", "`checkCipherIntegrity()`"),
      Row("Whole file: structure", "`PRAGMA integrity_check`"),
      Row("Whole file: backup", "`backup(toPath:)`, with a check of the copy"),
      Row("Whole file: key change", "`changeKey(to:)`"),
    ])

  package static let records = PublishedTable(
    name: "records", heading: "ratio",
    rows: [
      Row(
        "records, 3 strings, a date and 2 numbers",
        "`init(row:)`, 3 strings, one optional, a date and 2 numbers"),
      Row("records, mapping, 3 strings, a date and 2 numbers", "declared mapping, the same"),
      Row("Codable records, 3 strings, a date and 2 numbers", "Codable, the same"),
      Row(
        "insert of records, mapping, 3 strings, a date and 2 numbers",
        "insert, declared mapping, the same"),
      Row("insertAll of records of 10 integers", "`insertAll`, 10 integers"),
      Row("including(required:), init(row:)", "`including(required:)`, `init(row:)`"),
      Row("including(required:), Codable", "the same, Codable"),
      Row(
        "including(all:) of 1,000 times 100 records, init(row:)",
        "`including(all:)`, 1,000 × 100 rows, `init(row:)`"),
      Row("including(all:) of 1,000 times 100 records, Codable", "the same, Codable"),
    ])

  package static let concurrency = PublishedTable(
    name: "concurrency", heading: "ratio",
    rows: [
      Row(
        "two readers at once / one after the other",
        "two readers at once, on two cores / one after the other"),
      Row(
        "C: two scans at once / one after the other",
        "C alone: two scans at once, on two cores / one after the other"),
      Row(
        "C: processor time of two scans at once / one after the other",
        "C alone: processor time of two scans at once / one after the other"),
      Row(
        "read {} during a write / without one",
        "point lookups, each in its own `read {}`, during a write / without one"),
      Row(
        "read {} of a pool / of a queue", "point lookups, each in its own `read {}`: pool / queue"),
      Row(
        "commit, 1,000 other ValueObservations / none",
        "a commit that one `ValueObservation` follows, with 1,000 of other tables / without these"),
    ])

  package static let documents = PublishedTable(
    name: "documents", heading: "ratio to C",
    rows: [
      Row("documents, bulk insert of 10 integers", "bulk insert, 10 integers"),
      Row(
        "documents, bulk insert of 3 strings and 2 numbers",
        "bulk insert, 3 strings and 2 numbers"),
      Row(
        "documents, bulk save of existing ones",
        "bulk `save` of existing documents, 10 integers, compared with `UPDATE`"),
      Row("documents, fetchMany of 10 integers", "`fetchMany`, 10 integers"),
      Row(
        "documents, fetchMany of 3 strings and 2 numbers",
        "`fetchMany`, 3 strings and 2 numbers"),
      Row("documents, fetchMany of one property", "`fetchMany(\\.property)`"),
      Row(
        "documents, filter(id:).fetchOne()", "`filter(id:).fetchOne()`, each in its own read"),
      Row(
        "documents, filter(id:).fetchOne(), all in one read {}", "the same, all in one read"),
    ])
}
