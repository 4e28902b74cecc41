import Coffer

/// The form in which rows are printed.
enum OutputMode: String, CaseIterable, Sendable {
  case table, box, csv, json, ndjson, markdown, lines, tabs

  static let names = allCases.map(\.rawValue)

  /// The mode of `--mode`, or the default: `box` on a terminal, and `csv` elsewhere.
  init(_ invocation: Invocation, _ console: Console) throws {
    guard let name = invocation.value("mode") else {
      self = console.isTerminal ? .box : .csv
      return
    }
    self = try Self.named(name)
  }

  static func named(_ name: String) throws -> OutputMode {
    guard let mode = OutputMode(rawValue: name) else {
      throw ToolError(
        .usage, "there is no mode \"\(name.printable)\": \(names.joined(separator: ", "))")
    }
    return mode
  }

  /// Returns the form of the rows with these columns.
  ///
  /// - Parameters:
  ///   - isExact: Whether values are the same when they are read: numbers in CSV have all their
  ///     digits, instead of the 15 of SQLite's text, and a text that JSON can't have is an error.
  ///   - untyped: The columns in which a text can look like a number.
  func format(
    _ columns: [String], isExact: Bool = false, untyped: Set<String> = [], to output: ByteOutput
  ) -> any RowFormat {
    switch self {
    case .csv, .tabs:
      CSVRows(
        columns, separator: self == .csv ? UInt8(ascii: ",") : 0x09, isExact: isExact,
        untyped: untyped, to: output)
    case .json: JSONRows(columns, isArray: true, isExact: isExact, to: output)
    case .ndjson: JSONRows(columns, isArray: false, isExact: isExact, to: output)
    case .lines: LineRows(columns, to: output)
    case .table: GridRows(columns, .table, to: output)
    case .box: GridRows(columns, .box, to: output)
    case .markdown: GridRows(columns, .markdown, to: output)
    }
  }
}

extension ByteOutput {
  /// Writes the rows of a statement, and returns their number.
  @discardableResult
  func writeRows(
    of statement: Statement, _ arguments: StatementArguments? = nil, mode: OutputMode
  ) throws -> Int {
    try writeRows(of: statement, arguments) { mode.format($0, to: self) }
  }

  /// Writes the rows of a statement in a form that `format` makes for its columns.
  @discardableResult
  func writeRows(
    of statement: Statement, _ arguments: StatementArguments? = nil,
    format makeFormat: ([String]) -> any RowFormat
  ) throws -> Int {
    let rows = try Row.fetchCursor(statement, arguments: arguments)
    var count = 0
    // SQLite can have compiled the statement anew before the first row.
    let first = try rows.next()
    guard statement.columnCount > 0 else { return 0 }
    return try writeAll(makeFormat(statement.columnNames)) { format in
      try format.begin()
      var next = first
      while let row = next {
        try format.add(row)
        count += 1
        // What is slow shows that it works.
        if count == 1 { try flush() }
        // What can't be written isn't read, either.
        try check()
        next = try rows.next()
      }
      try format.end()
      try flush()
      return count
    }
  }

  private func writeAll<Result>(
    _ format: any RowFormat, _ body: (inout any RowFormat) throws -> Result
  ) rethrows -> Result {
    var format = format
    return try body(&format)
  }
}
