import Foundation

/// An error of SQLite or SQLCipher, or of this library's use of them.
///
/// Match it by its code; a primary code matches its extended codes too:
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
  // One reference: an error is passed through every frame between the failure
  // and its handler, and is wrapped in results and continuations.
  private var contents: Contents

  private final class Contents: Sendable {
    let extendedResultCode: ResultCode
    let message: String?
    let sql: String?
    let arguments: StatementArguments?
    let publicStatementArguments: Bool
    let hint: String?
    let note: String?
    let cipherDiagnosis: CipherDiagnosis?
    let batchIndex: Int?

    init(
      _ extendedResultCode: ResultCode, message: String?, sql: String?,
      arguments: StatementArguments?, publicStatementArguments: Bool, hint: String?,
      note: String? = nil, cipherDiagnosis: CipherDiagnosis? = nil, batchIndex: Int? = nil
    ) {
      self.extendedResultCode = extendedResultCode
      // A key in SQL, or bound to it, is quoted by SQLite's parser and by our excerpts as well.
      let redacted = sql.map { SQLText($0).redacted }
      let hidesKey = redacted != sql
      let quotes = ["near \"", "unrecognized token", "no such column"]
      let quotesSQL = quotes.contains { message?.hasPrefix($0) == true }
      self.sql = redacted
      self.message =
        hidesKey && quotesSQL ? "syntax error in a statement that may hold a key" : message
      self.arguments = hidesKey ? nil : arguments
      self.publicStatementArguments = publicStatementArguments
      self.hint = hint
      // A note is an excerpt of the SQL, or is about a statement.
      self.note = hidesKey ? nil : note
      self.cipherDiagnosis = cipherDiagnosis
      self.batchIndex = batchIndex
    }
  }

  /// An error with the code, primary or extended, and SQLite's own words for
  /// it where `message` is nil.
  /// - Parameter publicStatementArguments: Whether ``description`` shows the
  ///   arguments; ``expandedDescription`` always does.
  public init(
    resultCode: ResultCode = .SQLITE_ERROR,
    message: String? = nil,
    sql: String? = nil,
    arguments: StatementArguments? = nil,
    publicStatementArguments: Bool = false
  ) {
    contents = Contents(
      resultCode, message: message ?? resultCode.errorString, sql: sql, arguments: arguments,
      publicStatementArguments: publicStatementArguments, hint: nil)
  }

  /// The failure of opening a file, with the reason that the file itself tells.
  ///
  /// - Parameter hint: What to do about it; nil for the diagnosis's own words.
  package init(_ failure: DatabaseError, diagnosis: CipherDiagnosis, hint: String? = nil) {
    contents = Contents(
      failure.extendedResultCode, message: failure.message, sql: nil, arguments: nil,
      publicStatementArguments: false, hint: hint ?? diagnosis.message, cipherDiagnosis: diagnosis)
  }

  /// An error that the library itself makes.
  /// - Parameters:
  ///   - hint: What to do about it, for the end of the description.
  ///   - note: The same, where the description is SQLite's or GRDB's, for ``debugDescription`` alone.
  package init(
    _ resultCode: ResultCode, _ message: String, hint: String? = nil, note: String? = nil,
    sql: String? = nil, arguments: StatementArguments? = nil, publicStatementArguments: Bool = false
  ) {
    contents = Contents(
      resultCode, message: message, sql: sql, arguments: arguments,
      publicStatementArguments: publicStatementArguments, hint: hint, note: note)
  }

  /// The same error, of an element of a batch.
  package func inBatch(at index: Int, hint text: String) -> DatabaseError {
    addingHint(text, batchIndex: index)
  }

  /// The same error, with a sentence more at the end of its description.
  package func addingHint(_ text: String) -> DatabaseError {
    addingHint(text, batchIndex: batchIndex)
  }

  private func addingHint(_ text: String, batchIndex: Int?) -> DatabaseError {
    var error = self
    error.contents = Contents(
      extendedResultCode, message: message, sql: sql, arguments: arguments,
      publicStatementArguments: contents.publicStatementArguments,
      hint: contents.hint.map { "\($0) \(text)" } ?? text, note: contents.note,
      cipherDiagnosis: cipherDiagnosis, batchIndex: batchIndex)
    return error
  }

  /// The same error, with the arguments of its statement.
  package func withArguments(
    _ arguments: StatementArguments, areShown publicStatementArguments: Bool
  ) -> DatabaseError {
    var error = self
    error.contents = Contents(
      extendedResultCode, message: message, sql: sql, arguments: arguments,
      publicStatementArguments: publicStatementArguments, hint: contents.hint,
      note: contents.note, cipherDiagnosis: cipherDiagnosis, batchIndex: batchIndex)
    return error
  }
}

extension DatabaseError {
  /// The primary code, such as ``ResultCode/SQLITE_CONSTRAINT``.
  public var resultCode: ResultCode { contents.extendedResultCode.primaryResultCode }

  /// The extended code, such as ``ResultCode/SQLITE_CONSTRAINT_UNIQUE``.
  public var extendedResultCode: ResultCode { contents.extendedResultCode }

  /// What went wrong.
  public var message: String? { contents.message }

  /// The SQL that failed.
  public var sql: String? { contents.sql }

  /// The values of the statement's parameters; private data, perhaps.
  public var arguments: StatementArguments? { contents.arguments }

  /// What to do about it, where Coffer knows; without private data.
  ///
  /// It ends ``debugDescription``, which is what an uncaught error prints, and ``description`` too,
  /// but for errors that are SQLite's own: those are described in SQLite's words alone.
  public var hint: String? {
    let parts = [contents.note, contents.hint].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// Why an encrypted file doesn't open; nil for every other error.
  ///
  /// ```swift
  /// do {
  ///   queue = try DatabaseQueue(path: path, key: .passphrase(passphrase))
  /// } catch let error as DatabaseError where error.cipherDiagnosis == .wrongKey {
  ///   askAgain()
  /// }
  /// ```
  public var cipherDiagnosis: CipherDiagnosis? { contents.cipherDiagnosis }

  /// The element, counted from 0, at which a batch such as `insertAll` has failed; nil for every
  /// other error.
  ///
  /// Where callbacks have batches of their own, it is the outermost one's element.
  public var batchIndex: Int? { contents.batchIndex }

  /// Whether the statement was stopped rather than failed: its code is
  /// ``ResultCode/SQLITE_INTERRUPT`` or ``ResultCode/SQLITE_ABORT``.
  public var isInterruptionError: Bool {
    resultCode == .SQLITE_INTERRUPT || resultCode == .SQLITE_ABORT
  }
}

extension DatabaseError: CustomStringConvertible, CustomDebugStringConvertible {
  /// The code, the message and the SQL, without the arguments (unless they
  /// are declared public).
  public var description: String {
    describe(showingArguments: contents.publicStatementArguments, hint: contents.hint)
  }

  /// ``description``, and the ``hint`` in any case.
  public var debugDescription: String {
    describe(showingArguments: contents.publicStatementArguments, hint: hint)
  }

  /// ``description`` with the arguments: private data, perhaps, in a log.
  public var expandedDescription: String {
    describe(showingArguments: true, hint: contents.hint)
  }

  private func describe(showingArguments: Bool, hint: String?) -> String {
    var text = "SQLite error \(resultCode.rawValue)"
    if let message { text += ": \(message)" }
    if let sql { text += " - while executing `\(sql)`" }
    if showingArguments, let arguments, arguments != StatementArguments() {
      text += " with arguments \(arguments)"
    }
    if let hint { text += " - \(hint)" }
    return text
  }
}

extension DatabaseError: CustomNSError {
  /// `Coffer.DatabaseError`
  public static var errorDomain: String { "Coffer.DatabaseError" }

  /// The number of the extended code.
  public var errorCode: Int { Int(extendedResultCode.rawValue) }

  /// ``description`` as the localized description.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
