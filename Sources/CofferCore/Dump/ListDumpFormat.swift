/// A line per row, values as they are, as the `list` mode of the `sqlite3` shell.
public struct ListDumpFormat: DumpFormat, Sendable {
  /// Whether the names of the columns come first; they don't where there is no row.
  public var header: Bool
  /// What is between two values.
  public var separator: String
  /// What is written for NULL.
  public var nullValue: String

  private var hasRows = false

  /// A line per row.
  public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
    self.header = header
    self.separator = separator
    self.nullValue = nullValue
  }

  /// Writes a line.
  public mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    if header, !hasRows { stream.writeLine(statement.columnNames, separator: separator) }
    hasRows = true
    let null = nullValue
    stream.writeLine(
      statement.currentValues.map { $0.dumpedText(null: null) }, separator: separator)
  }

  /// Gets ready for the next statement.
  public mutating func finalize(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    hasRows = false
  }
}

extension DumpFormat where Self == ListDumpFormat {
  /// A line per row, as the `list` mode of the `sqlite3` shell; see ``ListDumpFormat``.
  public static func list(
    header: Bool = false, separator: String = "|", nullValue: String = ""
  ) -> Self {
    ListDumpFormat(header: header, separator: separator, nullValue: nullValue)
  }
}
