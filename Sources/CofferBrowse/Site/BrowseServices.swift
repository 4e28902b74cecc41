import Coffer
import CofferArchive

/// What the tool knows to do, for the pages.
package struct BrowseServices: Sendable {
  /// A step of a query's plan.
  package struct Step: Sendable {
    var text: String
    /// Whether it reads a whole table.
    var isFullScan: Bool
    var steps: [Step]

    package init(text: String, isFullScan: Bool, steps: [Step]) {
      self.text = text
      self.isFullScan = isFullScan
      self.steps = steps
    }
  }

  /// A difference of two databases.
  package struct Difference: Sendable {
    /// `-` for what only the first has, `+` for the second, `~` for another value.
    var mark: Character
    /// The table of a row; nil for a difference of the schema.
    var table: String?
    var text: String

    package init(mark: Character, table: String?, text: String) {
      self.mark = mark
      self.table = table
      self.text = text
    }
  }

  package enum Format: String, Sendable, CaseIterable { case csv, json }

  var engine: String
  var plan: @Sendable (String, Database) throws -> (steps: [Step], index: String?)
  var statement: @Sendable (String, Database) throws -> Statement
  var searchCondition: @Sendable (String, Database) throws -> String?
  var facts: @Sendable (Database) throws -> [(name: String, text: String)]
  var sizes: @Sendable (Database) throws -> [(name: String, bytes: Int)]
  var check: @Sendable (Database, (String) -> Void) throws -> [String]
  var write: @Sendable (Statement, Format, @escaping ([UInt8]) throws -> Void) throws -> Void
  var compare: @Sendable (Database, Database, (Difference) throws -> Void) throws -> Void

  /// - Parameters:
  ///   - engine: The names and versions of the engine.
  ///   - plan: The plan of a statement, and an index that would make it better.
  ///   - statement: Prepares the one statement of a text.
  ///   - searchCondition: The condition with a parameter for the rows of a table that match a
  ///     full-text pattern; nil where there is no index for that.
  ///   - facts: The settings of a database.
  ///   - sizes: The sizes of the tables, after reading all of them.
  ///   - check: What is wrong in a database's file, after saying what is looked at.
  ///   - write: Writes the rows of a statement, in parts.
  ///   - compare: Compares two databases. An error of the last argument ends it.
  package init(
    engine: String,
    plan: @escaping @Sendable (String, Database) throws -> (steps: [Step], index: String?),
    statement: @escaping @Sendable (String, Database) throws -> Statement,
    searchCondition: @escaping @Sendable (String, Database) throws -> String?,
    facts: @escaping @Sendable (Database) throws -> [(name: String, text: String)],
    sizes: @escaping @Sendable (Database) throws -> [(name: String, bytes: Int)],
    check: @escaping @Sendable (Database, (String) -> Void) throws -> [String],
    write:
      @escaping @Sendable (Statement, Format, @escaping ([UInt8]) throws -> Void) throws -> Void,
    compare: @escaping @Sendable (Database, Database, (Difference) throws -> Void) throws -> Void
  ) {
    self.engine = engine
    self.plan = plan
    self.statement = statement
    self.searchCondition = searchCondition
    self.facts = facts
    self.sizes = sizes
    self.check = check
    self.write = write
    self.compare = compare
  }
}

/// An archive whose commits are shown.
package struct BrowsedArchive: Sendable {
  var name: String
  var archive: Archive
  var key: DatabaseKey
  var cipher: CipherSettings
  var makeFile: @Sendable () throws -> String
  var removeFile: @Sendable (String) -> Void

  /// - Parameters:
  ///   - makeFile: Gives the path of a new temporary file, which is removed when the process ends,
  ///     however it ends.
  ///   - removeFile: Removes such a database at once.
  package init(
    name: String, archive: Archive, key: DatabaseKey, cipher: CipherSettings,
    makeFile: @escaping @Sendable () throws -> String,
    removeFile: @escaping @Sendable (String) -> Void
  ) {
    self.name = name
    self.archive = archive
    self.key = key
    self.cipher = cipher
    self.makeFile = makeFile
    self.removeFile = removeFile
  }
}
