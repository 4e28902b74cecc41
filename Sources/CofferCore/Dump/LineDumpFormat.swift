/// A format with a line per column, like the `line` mode of the `sqlite3` shell.
///
/// Rows are separated by an empty line.
///
/// ```
///   id = 1
/// name = Craig
/// ```
public struct LineDumpFormat: DumpFormat, Sendable {
  /// The text for NULL.
  public var nullValue: String

  /// Creates a format with a line per column.
  public init(nullValue: String = "") { self.nullValue = nullValue }

  /// Writes a line per column of the row.
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
  /// A format with a line per column, like the `line` mode of the `sqlite3` shell.
  ///
  /// See ``LineDumpFormat``.
  public static func line(nullValue: String = "") -> Self {
    LineDumpFormat(nullValue: nullValue)
  }
}
