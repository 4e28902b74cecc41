import Coffer
import CofferArchive

/// What the tool knows to do, for the pages.
package protocol BrowseServices: Sendable {
  /// The names and versions of the engine.
  var engine: String { get }

  /// The plan of a statement, and an index that would make it better.
  func plan(of sql: String, _ db: Database) throws -> (steps: [BrowsedStep], index: String?)

  /// Prepares the one statement of a text.
  func statement(_ sql: String, _ db: Database) throws -> Statement

  /// The condition with a parameter for the rows of a table that match a full-text pattern; nil
  /// where there is no index for that.
  func searchCondition(_ table: String, _ db: Database) throws -> String?

  /// The tables and views that somebody has made, by name. A kind is `table`, `view` or `virtual
  /// table`.
  func tables(_ db: Database) throws -> [(name: String, kind: String)]

  /// The settings of a database.
  func facts(_ db: Database) throws -> [(name: String, text: String)]

  /// The sizes of the tables, after reading all of them.
  func sizes(_ db: Database) throws -> [(name: String, bytes: Int)]

  /// What is wrong in a database's file, after saying what is looked at.
  func check(_ db: Database, _ step: (String) -> Void) throws -> [String]

  /// Writes the rows of a statement, in parts.
  func write(
    _ statement: Statement, _ format: BrowsedFormat, _ sink: @escaping ([UInt8]) throws -> Void
  ) throws

  /// Compares two databases. An error of `found` ends it.
  func compare(
    _ first: Database, _ second: Database, _ found: (BrowsedDifference) throws -> Void
  ) throws
}

/// A step of a query's plan.
package struct BrowsedStep: Sendable {
  let text: String
  /// Whether it reads a whole table.
  let isFullScan: Bool
  let steps: [BrowsedStep]

  package init(text: String, isFullScan: Bool, steps: [BrowsedStep]) {
    (self.text, self.isFullScan, self.steps) = (text, isFullScan, steps)
  }
}

/// A difference of two databases: `-` for what only the first has, `+` for the second, `~` for
/// another value; the table of a row, or nil for a difference of the schema; and what it is.
package typealias BrowsedDifference = (mark: Character, table: String?, text: String)

/// A request that was answered: its method, the path below the secret one (nil for another), the
/// status, and how long the answer took to make.
package typealias BrowsedRequest = (method: String, path: String?, status: Int, time: Duration)

/// The forms of downloaded rows.
package enum BrowsedFormat: String, Sendable, CaseIterable { case csv, json }

/// An archive whose commits are shown.
package protocol BrowsedArchive: Sendable {
  var name: String { get }

  /// What can be restored.
  func summary() throws -> ArchiveSummary

  /// Restores a commit to a temporary file, which goes with the process however it ends.
  ///
  /// - Parameter configure: Completes the configuration of the returned connection.
  func restore(
    at point: ArchivePoint, configure: (inout Configuration) -> Void
  ) throws -> (commit: ArchiveCommit, queue: DatabaseQueue)

  /// Removes such a database at once, after its connections have been closed.
  func remove(_ path: String)
}
