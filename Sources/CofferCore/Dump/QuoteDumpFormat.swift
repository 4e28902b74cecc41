import CofferVault

/// A format with a line of SQL literals per row, like the `quote` mode of the `sqlite3` shell.
public struct QuoteDumpFormat: DumpFormat, Sendable {
  /// Whether the column names come first.
  ///
  /// They are omitted if there are no rows.
  public var header: Bool
  /// The separator between two values.
  public var separator: String

  private var hasRows = false

  /// Creates a format with a line of SQL literals per row.
  public init(header: Bool = false, separator: String = ",") {
    self.header = header
    self.separator = separator
  }

  /// Writes a row as a line.
  public mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    if header, !hasRows {
      stream.writeLine(statement.columnNames.map(quoted), separator: separator)
    }
    hasRows = true
    stream.writeLine(statement.currentValues.map(literal), separator: separator)
  }

  /// Prepares for the next statement.
  public mutating func finalize(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    hasRows = false
  }

  private func literal(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: "NULL"
    case .int64(let value): "\(value)"
    case .double(let value) where value.isInfinite: value < 0 ? "-Inf" : "Inf"
    case .double(let value): "\(value)"
    case .string(let value): quoted(value)
    case .blob(let data): data.hexadecimalLiteral
    }
  }

  private func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "''") + "'"
  }
}

extension DumpFormat where Self == QuoteDumpFormat {
  /// A format with a line of SQL literals per row, like the `quote` mode of the `sqlite3` shell.
  ///
  /// See ``QuoteDumpFormat``.
  public static func quote(header: Bool = false, separator: String = ",") -> Self {
    QuoteDumpFormat(header: header, separator: separator)
  }
}
