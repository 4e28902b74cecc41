/// A format with a line per row and unquoted values, like the `list` mode of the `sqlite3` shell.
public struct ListDumpFormat: DumpFormat, Sendable {
  /// Whether the column names come first.
  ///
  /// They are omitted if there are no rows.
  public var header: Bool
  /// The separator between two values.
  public var separator: String
  /// The text for NULL.
  public var nullValue: String

  private var hasRows = false

  /// Creates a format with a line per row.
  public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
    self.header = header
    self.separator = separator
    self.nullValue = nullValue
  }

  /// Writes a row as a line.
  public mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    if header, !hasRows { stream.writeLine(statement.columnNames, separator: separator) }
    hasRows = true
    let null = nullValue
    stream.writeLine(
      statement.currentValues.map { $0.dumpedText(null: null) }, separator: separator)
  }

  /// Prepares for the next statement.
  public mutating func finalize(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    hasRows = false
  }
}

extension DumpFormat where Self == ListDumpFormat {
  /// A format with a line per row, like the `list` mode of the `sqlite3` shell.
  ///
  /// See ``ListDumpFormat``.
  public static func list(
    header: Bool = false, separator: String = "|", nullValue: String = ""
  ) -> Self {
    ListDumpFormat(header: header, separator: separator, nullValue: nullValue)
  }
}
