/// An error of reading a row: a value that isn't what was asked for, or a
/// column that doesn't exist.
public struct RowDecodingError: Error {
  /// What went wrong.
  public enum Kind: Hashable, Sendable {
    /// The stored value, NULL included, doesn't convert to the type.
    case valueMismatch
    /// The row has no such column.
    case columnNotFound
    /// The row has no such scope or prefetched rows.
    case keyNotFound
    /// The stored value is text or a number, as it should be, but doesn't stand
    /// for a value of the type: it is no JSON, or no case of an enum.
    case dataCorrupted
  }

  // One reference, as in DatabaseError.
  private let contents: Contents

  private final class Contents: Sendable {
    let kind: Kind
    let message: String
    let expectedType: String?
    let databaseValue: DatabaseValue?
    let context: RowDecodingContext
    let underlyingError: (any Error)?

    init(
      _ kind: Kind, _ message: String, _ context: RowDecodingContext,
      expectedType: String? = nil, databaseValue: DatabaseValue? = nil,
      underlyingError: (any Error)? = nil
    ) {
      self.kind = kind
      self.message = message
      self.expectedType = expectedType
      self.databaseValue = databaseValue
      self.context = context
      self.underlyingError = underlyingError
    }
  }

  private init(_ contents: Contents) { self.contents = contents }
}

/// Where a decoding error happened.
package struct RowDecodingContext: Sendable {
  /// The column's name, as asked for or as the row has it.
  package var columnName: String?
  /// The column's 0-based index in the row.
  package var columnIndex: Int?
  /// The type of the record that the row is decoded for.
  package var recordType: String?
  /// The key of the record, which no text shows.
  package var recordKey: DatabaseValue?
  /// The columns and values of the row, as text.
  package var row: String?
  package var sql: String?
  package var arguments: StatementArguments?
  /// Whether the error's description may show the arguments.
  package var publicStatementArguments: Bool

  package init(
    columnName: String? = nil, columnIndex: Int? = nil, row: String? = nil,
    sql: String? = nil, arguments: StatementArguments? = nil,
    publicStatementArguments: Bool = false
  ) {
    self.columnName = columnName
    self.columnIndex = columnIndex
    self.row = row
    self.sql = sql
    self.arguments = arguments
    self.publicStatementArguments = publicStatementArguments
  }
}

extension RowDecodingError {
  /// The value doesn't convert to the type.
  ///
  /// - Parameter showsValue: Whether the text has the value, and not its storage class alone.
  package static func valueMismatch(
    _ type: Any.Type, context: RowDecodingContext, databaseValue: DatabaseValue,
    showsValue: Bool = true
  ) -> RowDecodingError {
    let name = "\(type)"
    let found =
      if databaseValue.isNull {
        "database value NULL"
      } else if showsValue {
        "database value \(databaseValue) (\(databaseValue.className))"
      } else {
        "a database value (\(databaseValue.className))"
      }
    return RowDecodingError(
      Contents(
        .valueMismatch, "could not decode \(name) from \(found)", context,
        expectedType: name, databaseValue: databaseValue))
  }

  /// The value doesn't stand for one of the type.
  ///
  /// The stored value stays out of the text: `underlyingError` may have it.
  /// - Parameter reason: What the value would have to be, or what it lacks.
  package static func dataCorrupted(
    _ type: Any.Type, _ reason: String, context: RowDecodingContext,
    databaseValue: DatabaseValue, underlyingError: (any Error)?
  ) -> RowDecodingError {
    let name = "\(type)"
    return RowDecodingError(
      Contents(
        .dataCorrupted,
        "could not decode \(name) from a database value (\(databaseValue.className)): \(reason)",
        context, expectedType: name, databaseValue: databaseValue,
        underlyingError: underlyingError))
  }

  /// The row has no column of the name.
  package static func columnNotFound(
    _ name: String, context: RowDecodingContext
  ) -> RowDecodingError {
    var context = context
    context.columnName = name
    return RowDecodingError(
      Contents(.columnNotFound, "column not found: \(String(reflecting: name))", context))
  }

  /// The row has no column at the index.
  package static func columnNotFound(
    at index: Int, context: RowDecodingContext
  ) -> RowDecodingError {
    var context = context
    context.columnIndex = index
    return RowDecodingError(
      Contents(.columnNotFound, "column not found: no column at index \(index)", context))
  }

  /// The row has no scope or prefetched rows of the key.
  /// - Parameter available: The keys that there are.
  package static func keyNotFound(
    _ key: String, available: [String] = [], context: RowDecodingContext
  ) -> RowDecodingError {
    var message = "key not found: \(String(reflecting: key))"
    if !available.isEmpty {
      message += " - available keys: \(available.sorted().joined(separator: ", "))"
    }
    return RowDecodingError(Contents(.keyNotFound, message, context))
  }
}

extension RowDecodingError {
  /// The same error, which names the record's type, unless it names one already.
  package func naming(record type: Any.Type) -> RowDecodingError {
    recordType == nil ? with { $0.recordType = "\(type)" } : self
  }

  /// The same error, about a column that has another name in the row.
  package func naming(column: String, ofRecord type: Any.Type) -> RowDecodingError {
    with {
      $0.columnName = column
      $0.recordType = "\(type)"
    }
  }

  /// The same error, with the key of the record.
  package func naming(recordKey: DatabaseValue) -> RowDecodingError {
    with { $0.recordKey = recordKey }
  }

  private func with(_ change: (inout RowDecodingContext) -> Void) -> RowDecodingError {
    var context = contents.context
    change(&context)
    return RowDecodingError(
      Contents(
        kind, message, context, expectedType: expectedType, databaseValue: databaseValue,
        underlyingError: underlyingError))
  }
}

extension RowDecodingError {
  /// What went wrong.
  public var kind: Kind { contents.kind }

  /// What went wrong, in a sentence, without row and SQL.
  public var message: String { contents.message }

  /// The name of the type that was asked for.
  public var expectedType: String? { contents.expectedType }

  /// The stored value that doesn't convert.
  public var databaseValue: DatabaseValue? { contents.databaseValue }

  /// What the type's own `init(from:)`, or the JSON decoder, has thrown, if it was
  /// that; it may tell the stored value.
  public var underlyingError: (any Error)? { contents.underlyingError }

  /// The name of the record type that the row was decoded for, where that is known.
  public var recordType: String? { contents.context.recordType }

  /// The identifier of the document that couldn't be decoded, as it is stored; nil where it isn't
  /// known. The error's description doesn't show it.
  public var recordKey: DatabaseValue? { contents.context.recordKey }

  /// The column's name, as asked for or as the row has it.
  public var columnName: String? { contents.context.columnName }

  /// The column's 0-based index in the row.
  public var columnIndex: Int? { contents.context.columnIndex }

  /// The SQL that gave the row.
  public var sql: String? { contents.context.sql }

  /// The values of the statement's parameters; private data, perhaps.
  public var arguments: StatementArguments? { contents.context.arguments }
}

extension RowDecodingError: CustomStringConvertible {
  /// The message, the column, the row and the SQL, without the statement's
  /// arguments (unless they are declared public).
  public var description: String {
    describe(showingArguments: contents.context.publicStatementArguments)
  }

  /// ``description`` with the arguments: private data, perhaps, in a log.
  public var expandedDescription: String { describe(showingArguments: true) }

  private func describe(showingArguments: Bool) -> String {
    let context = contents.context
    var details: [String] = []
    if let record = recordType { details.append("record: \(record)") }
    if kind == .valueMismatch || kind == .dataCorrupted {
      if let name = columnName { details.append("column: \(String(reflecting: name))") }
      if let index = columnIndex { details.append("column index: \(index)") }
    }
    if let row = context.row { details.append("row: \(row)") }
    if let sql = context.sql { details.append("sql: `\(sql)`") }
    if showingArguments, let arguments = context.arguments, arguments != StatementArguments() {
      details.append("arguments: \(arguments)")
    }
    if details.isEmpty { return message }
    return message + " - " + details.joined(separator: ", ")
  }
}
