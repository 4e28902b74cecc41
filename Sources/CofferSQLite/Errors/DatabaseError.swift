import Foundation

/// An error of SQLite or SQLCipher, or of their use by this library.
///
/// Match it by its code; a primary code also matches its extended codes:
///
/// ```swift
/// do {
///   try db.execute(sql: "INSERT …")
/// } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
///   …
/// }
/// ```
///
/// ``description`` never shows the values of the statement's parameters, unless
/// `Configuration.publicStatementArguments` allows it.
public struct DatabaseError: Error {
  // A single reference: an error passes through every frame between the failure and its handler,
  // and is wrapped in results and continuations.
  private var contents: Contents

  private final class Contents: Sendable {
    let extendedResultCode: ResultCode
    let message: String?
    /// The message with the values that it quotes; nil if it quotes none.
    let fullMessage: String?
    let sql: String?
    let arguments: (any ErrorArguments)?
    let publicStatementArguments: Bool
    let hint: String?
    let note: String?
    let diagnosis: (any Sendable)?
    let batchIndex: Int?

    init(
      _ extendedResultCode: ResultCode, message: String?, fullMessage: String? = nil, sql: String?,
      arguments: (any ErrorArguments)?, publicStatementArguments: Bool, hint: String?,
      note: String? = nil, diagnosis: (any Sendable)? = nil, batchIndex: Int? = nil
    ) {
      self.extendedResultCode = extendedResultCode
      // SQLite's parser and Coffer's excerpts also quote a key in SQL, or one bound to it.
      let redacted = sql.map { SQLString($0).redacted }
      let hidesKey = redacted != sql
      // An argument can be a key, or a URI with one, which messages quote.
      let bindsKey = hidesKey || sql.map { SQLString($0).bindsKey } == true
      let quotes = ["near \"", "unrecognized token", "no such column"]
      let quotesSQL = quotes.contains { message?.hasPrefix($0) == true }
      self.sql = redacted
      let withoutKey =
        bindsKey
        ? message.flatMap {
          SQLiteMessage(text: $0, code: extendedResultCode).withoutQuotedEnd
        } : nil
      self.message =
        hidesKey && quotesSQL
        ? "syntax error in a statement that may hold a key" : withoutKey ?? message
      self.fullMessage = bindsKey ? nil : fullMessage
      self.arguments = bindsKey ? nil : arguments
      self.publicStatementArguments = publicStatementArguments
      self.hint = hint
      // A note is an excerpt of the SQL, or describes a statement.
      self.note = hidesKey ? nil : note
      self.diagnosis = diagnosis
      self.batchIndex = batchIndex
    }
  }

  /// Creates an error with a primary or extended code.
  package init(
    resultCode: ResultCode, message: String? = nil, sql: String? = nil
  ) {
    self.init(resultCode, message ?? resultCode.errorString, sql: sql)
  }

  /// Creates the error of a file that can't be opened, with the reason found in the file.
  ///
  /// - Parameter hint: The remedy.
  package init(_ failure: DatabaseError, diagnosis: any Sendable, hint: String) {
    contents = Contents(
      failure.extendedResultCode, message: failure.message, sql: nil, arguments: nil,
      publicStatementArguments: false, hint: hint, diagnosis: diagnosis)
  }

  /// Creates an error that the library reports.
  /// - Parameters:
  ///   - hint: The remedy, for the end of the description.
  ///   - note: A remedy shown only in ``debugDescription``, where the description must match
  ///     SQLite's or GRDB's.
  package init(
    _ resultCode: ResultCode, _ message: String, hint: String? = nil, note: String? = nil,
    sql: String? = nil, arguments: (any ErrorArguments)? = nil,
    publicStatementArguments: Bool = false
  ) {
    contents = Contents(
      resultCode, message: message, sql: sql, arguments: arguments,
      publicStatementArguments: publicStatementArguments, hint: hint, note: note)
  }

  /// Returns the same error for an element of a batch.
  package func inBatch(at index: Int, hint text: String) -> DatabaseError {
    addingHint(text, batchIndex: index)
  }

  /// Returns the same error with another sentence at the end of its description.
  package func addingHint(_ text: String) -> DatabaseError {
    addingHint(text, batchIndex: batchIndex)
  }

  private func addingHint(_ text: String, batchIndex: Int?) -> DatabaseError {
    var error = self
    error.contents = Contents(
      extendedResultCode, message: message, fullMessage: contents.fullMessage, sql: sql,
      arguments: contents.arguments, publicStatementArguments: contents.publicStatementArguments,
      hint: contents.hint.map { "\($0) \(text)" } ?? text, note: contents.note,
      diagnosis: diagnosis, batchIndex: batchIndex)
    return error
  }

  /// Returns the same error with the arguments of its statement.
  package func withArguments(
    _ arguments: any ErrorArguments, areShown publicStatementArguments: Bool
  ) -> DatabaseError {
    var error = self
    error.contents = Contents(
      extendedResultCode, message: message, fullMessage: contents.fullMessage, sql: sql,
      arguments: arguments, publicStatementArguments: publicStatementArguments,
      hint: contents.hint, note: contents.note, diagnosis: diagnosis,
      batchIndex: batchIndex)
    return error
  }

  /// Returns the same error with a message for everyone and one for ``expandedDescription``.
  func replacing(message: String, fullMessage: String) -> DatabaseError {
    var error = self
    error.contents = Contents(
      extendedResultCode, message: message, fullMessage: fullMessage, sql: sql,
      arguments: contents.arguments, publicStatementArguments: contents.publicStatementArguments,
      hint: contents.hint, note: contents.note, diagnosis: diagnosis,
      batchIndex: batchIndex)
    return error
  }

  /// Returns the same error without the statement, which is internal.
  package var withoutStatement: DatabaseError {
    var error = self
    error.contents = Contents(
      extendedResultCode, message: message, fullMessage: contents.fullMessage, sql: nil,
      arguments: nil, publicStatementArguments: false, hint: nil)
    return error
  }
}

extension DatabaseError {
  /// The primary code, such as ``ResultCode/SQLITE_CONSTRAINT``.
  public var resultCode: ResultCode { contents.extendedResultCode.primaryResultCode }

  /// The extended code, such as ``ResultCode/SQLITE_CONSTRAINT_UNIQUE``.
  public var extendedResultCode: ResultCode { contents.extendedResultCode }

  /// The description of the failure.
  ///
  /// Values that SQLite's message quotes are left out, unless
  /// `Configuration.publicStatementArguments` allows them; ``expandedDescription`` has them.
  public var message: String? { contents.message }

  /// The SQL that failed.
  public var sql: String? { contents.sql }

  /// The arguments of the statement, as the floor above knows them.
  package var storedArguments: (any ErrorArguments)? { contents.arguments }

  /// The reason found in an encrypted file, as the floor above knows it.
  package var diagnosis: (any Sendable)? { contents.diagnosis }

  /// The remedy, if Coffer knows one.
  ///
  /// It contains no private data.
  ///
  /// It ends ``debugDescription``, which an uncaught error prints, and also ``description``, except
  /// for SQLite's own errors, whose description has SQLite's message only.
  public var hint: String? {
    let parts = [contents.note, contents.hint].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// The 0-based index of the element at which a batch such as `insertAll` failed.
  ///
  /// Nil for all other errors.
  ///
  /// If callbacks run batches themselves, it is the index in the outermost batch.
  public var batchIndex: Int? { contents.batchIndex }

  /// Whether the statement was interrupted rather than failed.
  ///
  /// The code is ``ResultCode/SQLITE_INTERRUPT`` or ``ResultCode/SQLITE_ABORT`` then.
  public var isInterruptionError: Bool {
    resultCode == .SQLITE_INTERRUPT || resultCode == .SQLITE_ABORT
  }
}

extension DatabaseError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The code, the message and the SQL, without the arguments (unless they are declared public).
  public var description: String {
    describe(showingArguments: contents.publicStatementArguments, hint: contents.hint)
  }

  /// ``description`` followed by the ``hint``, if any.
  public var debugDescription: String {
    describe(showingArguments: contents.publicStatementArguments, hint: hint)
  }

  /// ``description`` with the arguments, and SQLite's message as it was.
  ///
  /// It can expose private data in a log.
  public var expandedDescription: String {
    describe(showingArguments: true, hint: contents.hint)
  }

  /// The parts of the error that ``description`` shows, for `dump`.
  public var customMirror: Mirror {
    var children: [(label: String?, value: Any)] = [
      ("extendedResultCode", extendedResultCode), ("message", message as Any), ("sql", sql as Any),
    ]
    if contents.publicStatementArguments {
      children.append(("arguments", contents.arguments as Any))
    }
    children.append(("hint", hint as Any))
    return Mirror(self, children: children, displayStyle: .struct)
  }

  private func describe(showingArguments: Bool, hint: String?) -> String {
    var text = "SQLite error \(resultCode.rawValue)"
    let message = showingArguments ? contents.fullMessage ?? message : message
    if let message { text += ": \(message)" }
    if let sql { text += " - while executing `\(sql)`" }
    if showingArguments, let arguments = contents.arguments, !arguments.isEmpty {
      text += " with arguments \(arguments)"
    }
    if let hint { text += " - \(hint)" }
    return text
  }
}

/// The arguments of a statement, as far as its error needs them.
package protocol ErrorArguments: Sendable, CustomStringConvertible {
  var isEmpty: Bool { get }
}

extension DatabaseError: CustomNSError {
  /// `Coffer.DatabaseError`
  public static var errorDomain: String { "Coffer.DatabaseError" }

  /// The number of the extended code.
  public var errorCode: Int { Int(extendedResultCode.rawValue) }

  /// ``description`` as the localized description.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
