/// A line per column, and an empty line between rows, as the `line` mode of the
/// `sqlite3` shell.
///
/// ```
///   id = 1
/// name = Craig
/// ```
public struct LineDumpFormat: DumpFormat, Sendable {
  /// What is written for NULL.
  public var nullValue: String

  /// A line per column.
  public init(nullValue: String = "") { self.nullValue = nullValue }

  /// Writes a line per column.
  public mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    stream.margin()
    let names = statement.columnNames
    let width = names.map(\.count).max() ?? 0
    for (name, value) in zip(names, statement.currentValues) {
      let padding = String(repeating: " ", count: width - name.count)
      stream.write("\(padding)\(name) = \(value.dumpedText(null: nullValue))\n")
    }
  }

  /// Does nothing.
  public mutating func finalize(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {}
}

extension DumpFormat where Self == LineDumpFormat {
  /// A line per column, as the `line` mode of the `sqlite3` shell; see ``LineDumpFormat``.
  public static func line(nullValue: String = "") -> Self {
    LineDumpFormat(nullValue: nullValue)
  }
}
