import CofferVault

/// The format in which the rows of a dump are written.
///
/// | format | row 1, "Craig", NULL |
/// | --- | --- |
/// | ``DumpFormat/debug(header:separator:nullValue:)`` | `1\|Craig\|` |
/// | ``DumpFormat/json(encoder:)`` | `[{"id":1,"name":"Craig","team":null}]` |
/// | ``DumpFormat/line(nullValue:)`` | a line per column, `  id = 1` |
/// | ``DumpFormat/list(header:separator:nullValue:)`` | `1\|Craig\|` |
/// | ``DumpFormat/quote(header:separator:)`` | `1,'Craig',NULL` |
///
/// A custom format is a struct: each dump uses a copy, which can keep state between rows.
public protocol DumpFormat {
  /// Writes the current row of a statement.
  mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) throws

  /// Called after the last row of each statement, even if it returned no rows.
  mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream)
}

/// The option whether a dump contains the names of the tables.
public enum DumpTableHeaderOptions: Hashable, Sendable {
  /// Tables are named if there is more than one.
  case automatic
  /// Each table is named.
  case always
}

extension Statement {
  /// The values of the current row.
  var currentValues: [DatabaseValue] {
    let handle = sqliteStatement
    return (0..<columnCount).map {
      DatabaseValue(sqliteStatement: handle, index: CInt(truncatingIfNeeded: $0))
    }
  }
}

extension DumpStream {
  /// Writes the values on one line.
  mutating func writeLine(_ values: [String], separator: String) {
    write(values.joined(separator: separator) + "\n")
  }
}
