import CofferVault
import FoundationEssentials

/// An error of reading a row: a value of the wrong type, or a column that doesn't exist.
public struct RowDecodingError: Error {
  /// A kind of decoding error.
  public enum Kind: Hashable, Sendable {
    /// The stored value, NULL included, doesn't convert to the type.
    case valueMismatch
    /// The row has no such column.
    case columnNotFound
    /// The row has no such scope or prefetched rows.
    case keyNotFound
    /// The stored value has the expected storage class, but represents no value of the type.
    ///
    /// For example, it is invalid JSON, or not a case of an enum.
    case dataCorrupted
  }

  // A single reference, as in DatabaseError.
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

/// The place at which a decoding error happened.
package struct RowDecodingContext: Sendable {
  /// The column's name, as requested or as in the row.
  package var columnName: String?
  /// The column's 0-based index in the row.
  package var columnIndex: Int?
  /// The type of the record that the row is decoded for.
  package var recordType: String?
  /// The key of the record, which no description shows.
  package var recordKey: DatabaseValue?
  /// The columns and values of the row, as text.
  package var row: String?
  package var sql: String?
  package var arguments: StatementArguments?
  /// Whether the error's description shows the arguments.
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
  /// Creates the error of a value that doesn't convert to the type.
  ///
  /// - Parameter showsValue: Whether the message contains the value, not only its storage class.
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

  /// Creates the error of a value that represents no value of the type.
  ///
  /// The message doesn't contain the stored value, but `underlyingError` can.
  /// - Parameter reason: The reason why the value is invalid.
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

  /// Creates the error of a row without a column of that name.
  package static func columnNotFound(
    _ name: String, context: RowDecodingContext
  ) -> RowDecodingError {
    var context = context
    context.columnName = name
    return RowDecodingError(
      Contents(.columnNotFound, "column not found: \(String(reflecting: name))", context))
  }

  /// Creates the error of a row without a column at that index.
  package static func columnNotFound(
    at index: Int, context: RowDecodingContext
  ) -> RowDecodingError {
    var context = context
    context.columnIndex = index
    return RowDecodingError(
      Contents(.columnNotFound, "column not found: no column at index \(index)", context))
  }

  /// Creates the error of a row without a scope or prefetched rows for the key.
  /// - Parameter available: The existing keys.
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
  /// Returns the same error with the record's type, unless it has one already.
  package func naming(record type: Any.Type) -> RowDecodingError {
    recordType == nil ? with { $0.recordType = "\(type)" } : self
  }

  /// Returns the same error for a column that has another name in the row.
  package func naming(column: String, ofRecord type: Any.Type) -> RowDecodingError {
    with {
      $0.columnName = column
      $0.recordType = "\(type)"
    }
  }

  /// Returns the same error with the key of the record.
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
  /// The kind of error.
  public var kind: Kind { contents.kind }

  /// The description of the failure in one sentence, without row and SQL.
  public var message: String { contents.message }

  /// The name of the requested type.
  public var expectedType: String? { contents.expectedType }

  /// The stored value that doesn't convert.
  public var databaseValue: DatabaseValue? { contents.databaseValue }

  /// The error of the type's own `init(from:)` or of the JSON decoder, if one was thrown.
  ///
  /// It can contain the stored value.
  public var underlyingError: (any Error)? { contents.underlyingError }

  /// The name of the record type that the row was decoded for, if known.
  public var recordType: String? { contents.context.recordType }

  /// The stored identifier of the document that couldn't be decoded.
  ///
  /// Nil if unknown. The error's description doesn't show it.
  public var recordKey: DatabaseValue? { contents.context.recordKey }

  /// The column's name, as requested or as in the row.
  public var columnName: String? { contents.context.columnName }

  /// The column's 0-based index in the row.
  public var columnIndex: Int? { contents.context.columnIndex }

  /// The SQL that returned the row.
  public var sql: String? { contents.context.sql }

  /// The values of the statement's parameters, which can be private data.
  public var arguments: StatementArguments? { contents.context.arguments }
}

extension RowDecodingError: CustomStringConvertible, LocalizedError {
  /// The message, the column, the row and the SQL.
  ///
  /// It shows the statement's arguments only if they are declared public.
  public var description: String {
    describe(showingArguments: contents.context.publicStatementArguments)
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  /// ``description`` with the arguments, which can expose private data in a log.
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
