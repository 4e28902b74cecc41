import CofferSQLite

/// What a damaged or hostile file can't make a salvage exceed, in proportion to the file's own
/// size.
///
/// A whole file keeps within all of them. Each can be lifted; a report names those that were
/// reached.
public enum SalvageLimit: String, Sendable, Hashable, Codable, CaseIterable {
  /// The new file has at most four times the bytes of the source, and 16 MiB: further rows are
  /// lost.
  case fileSize
  /// A value or a row that the new file computes has at most as many bytes as the source, or 1 MiB:
  /// a row with a larger one is rejected.
  case valueSize
  /// There are at most as many tables and indexes as the source has pages, and 1,000 (8 MiB of
  /// pages); and a quarter as many views, triggers and virtual tables, and 5,000. Further ones are
  /// not made.
  case definitions
  /// The definitions' SQL has at most a sixteenth of the bytes of the source, or 16 MiB, and 1 MiB
  /// each; what SQLite makes of it takes an eighth and 64 MiB of memory. Further ones are not made.
  case definitionText
  /// Pages to which nothing leads are compared with the tables they may belong to at most a hundred
  /// million times: further ones are taken for those of no known table.
  case comparisons
}

/// The limits of one salvage, and which of them it has reached.
final class SalvageLimits {
  private let lifted: Set<SalvageLimit>
  private(set) var reached: Set<SalvageLimit> = []
  private let sourceSize: Int
  private let pageSize: Int
  private var remainingDefinitions: Int
  private var remainingOthers: Int
  private var remainingText: Int
  /// The SQL of the definitions that were made since their memory was looked at.
  private var unmeasuredText = 0
  private var isSchemaFull = false
  private var remainingComparisons = 100_000_000

  /// - Parameters:
  ///   - pageCount: The pages that are stored.
  ///   - lifted: What has no limit.
  init(pageCount: Int, pageSize: Int, lifted: Set<SalvageLimit>) {
    self.lifted = lifted
    self.pageSize = pageSize
    sourceSize = pageCount * pageSize
    remainingDefinitions = pageCount + min(1000, (8 << 20) / pageSize)
    remainingOthers = pageCount / 4 + 5000
    remainingText = max(16 << 20, sourceSize / 16)
  }

  /// The most bytes of a value; nil without a limit.
  var valueSize: Int? {
    lifted.contains(.valueSize) ? nil : min(max(1 << 20, sourceSize), Int(Int32.max))
  }

  /// The pages of the new file from which on no row is added; nil without a limit.
  var pageCount: Int? {
    lifted.contains(.fileSize) ? nil : (4 * sourceSize + 16 << 20) / pageSize
  }

  /// Notes that a limit is reached.
  func reach(_ limit: SalvageLimit) { if !lifted.contains(limit) { reached.insert(limit) } }

  /// Whether another table or index is allowed.
  func allowsDefinition() -> Bool { take(1, from: &remainingDefinitions, .definitions) }

  /// Whether another definition without pages of its own is allowed.
  func allowsOther() -> Bool { take(1, from: &remainingOthers, .definitions) }

  /// Whether a definition's SQL is allowed.
  func allowsText(_ byteCount: Int) -> Bool {
    if byteCount > 1 << 20, !lifted.contains(.definitionText) {
      reach(.definitionText)
      return false
    }
    return take(byteCount, from: &remainingText, .definitionText)
  }

  /// Whether SQLite's memory allows a definition of so many bytes of SQL.
  ///
  /// - Parameter memory: What the schema takes, which isn't asked for each time.
  func allowsSchema(adding byteCount: Int, memory: () throws -> Int) rethrows -> Bool {
    if lifted.contains(.definitionText) { return true }
    unmeasuredText += byteCount
    // SQLite can make 36 times as much of it: each large definition is looked at.
    if !isSchemaFull, unmeasuredText > 256 << 10 {
      unmeasuredText = 0
      isSchemaFull = try memory() > 64 << 20 + sourceSize / 8
    }
    if isSchemaFull { reach(.definitionText) }
    return !isSchemaFull
  }

  /// Whether so many comparisons are allowed.
  func allowsComparisons(_ count: Int) -> Bool {
    take(count, from: &remainingComparisons, .comparisons)
  }

  private func take(_ count: Int, from remaining: inout Int, _ limit: SalvageLimit) -> Bool {
    if lifted.contains(limit) { return true }
    guard count <= remaining else {
      reach(limit)
      return false
    }
    remaining -= count
    return true
  }
}
