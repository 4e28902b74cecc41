import CofferSQLite

/// What ``DatabaseFile/salvage(at:key:settings:to:configuration:liftedLimits:progress:)`` has
/// saved, and what is lost.
///
/// Pages are numbered from 1.
public struct SalvageReport: Sendable, Hashable, Codable {
  /// What has become of the rows of one table.
  public struct Table: Sendable, Hashable, Codable {
    /// The table's name.
    public let name: String
    /// The number of rows in the new file.
    public let savedRows: Int
    /// The number of rows of which only a part could be read.
    ///
    /// None of them is in the new file.
    public let lostRows: Int
    /// The damaged pages with further rows of the table.
    ///
    /// How many rows a damaged page had can't be told.
    public let lostPages: [Int]
    /// The number of rows that a constraint of the table rejects.
    ///
    /// They are in ``SalvageReport/lostAndFoundTable``.
    public let rejectedRows: Int

    /// Whether the table has all its rows.
    public var isComplete: Bool { lostRows == 0 && lostPages.isEmpty && rejectedRows == 0 }
  }

  /// Whether nothing was lost.
  ///
  /// Damaged pages without rows, such as those of indexes and free ones, don't count.
  public let isComplete: Bool
  /// The tables, in the order of the schema.
  public let tables: [Table]
  /// The number of pages that the database should have.
  public let pageCount: Int
  /// The number of pages missing at the end of the file.
  public let missingPageCount: Int
  /// The pages that could not be read.
  public let damagedPages: [Int]
  /// Whether each page was proven to be what was written with the key.
  ///
  /// False for plaintext files, for files without HMACs, and if the salt is lost.
  public let isAuthenticated: Bool
  /// Whether the first page is lost, and `user_version` and other properties with it.
  public let isHeaderLost: Bool
  /// Whether the definitions of all tables, indexes, views and triggers could be read.
  ///
  /// If not, how many are missing can't be told.
  public let isSchemaComplete: Bool
  /// What is missing in the new file although its name is known, such as `index by_name`.
  public let lostDefinitions: [String]
  /// The virtual tables whose storage is incomplete, and that could not be rebuilt from it.
  public let damagedVirtualTables: [String]
  /// The table of the new file with the rows that belong to no known table; nil if there are none.
  ///
  /// Its columns are `rootpgno`, the first page of the rows' table if that is known; `pgno`, the
  /// page; `nfield`, the number of values; `id`, the rowid, which entries of indexes and rows of
  /// tables without rowids don't have; and the values, from `c0` on.
  public let lostAndFoundTable: String?
  /// The number of rows in ``lostAndFoundTable``.
  public let lostAndFoundRows: Int
  /// Whether rows in ``lostAndFoundTable`` can be deleted ones, since not all free pages are known.
  public let mayHoldDeletedRows: Bool
  /// Whether the WAL had commits that a damaged part of it makes unusable.
  public let hasLostCommits: Bool
  /// The limits that were reached; what would exceed them was left out.
  public let reachedLimits: [SalvageLimit]
}

extension SalvageReport: CustomStringConvertible {
  /// The report in sentences, a line for each.
  public var description: String {
    var lines = [isComplete ? "Nothing was lost." : "Not everything could be saved."]
    lines += tables.map { "\($0)" }
    if isHeaderLost { lines.append("The first page is lost, with user_version.") }
    if !isSchemaComplete { lines.append("The definitions of some tables are lost.") }
    lines += lostDefinitions.map { "Lost: \($0)." }
    lines += damagedVirtualTables.map { "The content of the virtual table \($0) is damaged." }
    if let lostAndFoundTable {
      let doubt = mayHoldDeletedRows ? "; some may have been deleted before" : ""
      let rows = Self.count(lostAndFoundRows, "row")
      lines.append("\(rows) without a table are in \(lostAndFoundTable)\(doubt).")
    }
    if hasLostCommits { lines.append("The last commits, in the WAL, are damaged.") }
    lines += reachedLimits.map(\.consequence)
    if missingPageCount > 0 {
      let pages = Self.count(missingPageCount, "page")
      lines.append("\(pages) of \(pageCount) are missing at the end.")
    }
    if !damagedPages.isEmpty {
      lines.append(
        "\(damagedPages.count) of \(Self.count(pageCount, "page")) can't be read: "
          + "\(Self.listing(damagedPages)).")
    }
    if !isAuthenticated {
      lines.append("The pages could not be authenticated: only their structure was checked.")
    }
    return lines.joined(separator: "\n")
  }

  fileprivate static func count(_ count: Int, _ unit: String) -> String {
    "\(count) \(unit)\(count == 1 ? "" : "s")"
  }

  fileprivate static func listing(_ pages: [Int]) -> String {
    let shown = pages.prefix(20).map(String.init).joined(separator: ", ")
    return pages.count > 20 ? "\(shown) and \(pages.count - 20) more" : shown
  }
}

extension SalvageReport.Table: CustomStringConvertible {
  /// The table's line of the report.
  public var description: String {
    var text = "\(name): \(SalvageReport.count(savedRows, "row")) saved"
    if lostRows > 0 { text += ", \(lostRows) lost" }
    if rejectedRows > 0 { text += ", \(rejectedRows) against its constraints" }
    if !lostPages.isEmpty {
      text += ", more on the damaged \(lostPages.count == 1 ? "page" : "pages") "
      text += SalvageReport.listing(lostPages)
    }
    return text
  }
}

extension SalvageLimit {
  /// What follows from having reached the limit, for the report.
  fileprivate var consequence: String {
    switch self {
    case .fileSize: "The new file has reached its limit: further rows are lost."
    case .valueSize:
      "The values that rows make SQLite compute have reached their limit: such rows aren't in their tables."
    case .definitions: "The definitions have reached their limit: further ones are lost."
    case .definitionText: "The definitions' SQL has reached its limit: further ones are lost."
    case .comparisons:
      "The search for the tables of lost pages has reached its limit: further rows have no table."
    }
  }
}
