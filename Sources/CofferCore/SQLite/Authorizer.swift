import CSQLCipher
import CofferVault

/// SQLite's authorizer: records facts about statements while they are compiled, and refuses some.
///
/// SQLite compiles a statement when it is prepared, and recompiles it by itself when the schema has
/// changed. Facts are recorded for the former, while `recorder` is set; the latter is counted,
/// since known facts about statements can be outdated then.
final class Authorizer {
  /// The recorder of the statement that is being prepared.
  var recorder: FactsRecorder?
  /// The reason why the last statement was refused.
  var refusal: String?
  /// Incremented when SQLite recompiles a statement that writes.
  private(set) var recompilations = 0
  /// Called with each change of a statement that SQLite recompiles.
  var onRecompiledChange: ((TableChange) -> Void)?
  /// Whether a file may have been attached, or a journal mode set, since the connection has set up
  /// those of attached files.
  var hasAttached = false
  /// Whether savepoints may have been opened with SQLite's handle.
  private(set) var hasForeignSavepoint = false
  /// Whether a statement that can change the schema has been compiled with SQLite's handle, so that
  /// nothing notices when it is executed.
  private(set) var hasForeignDefinition = false
  /// Called when a statement is compiled that can change what queries mean, or their order.
  var onMeaningChange: (() -> Void)?
  private var refusePragma: ((_ name: String, _ value: String?, _ schema: String?) -> String?)?

  /// The table that is being dropped: its rows are not deleted one by one.
  private var droppedTable: String?

  /// The pragmas that change the meaning of conditions, or the order of rows without an order.
  private static let meaningfulPragmas: Set = [
    SQLName("case_sensitive_like"), SQLName("reverse_unordered_selects"),
  ]

  /// - Parameter refusePragma: Returns the reason for refusing a pragma; nil to allow it.
  @safe func install(
    in connection: SQLiteConnection,
    refusePragma: @escaping (_ name: String, _ value: String?, _ schema: String?) -> String?
  ) -> CInt {
    self.refusePragma = refusePragma
    // SAFETY: the database retains the authorizer, and removes it before it closes.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    return unsafe sqlite3_set_authorizer(connection, authorize, context)
  }

  @safe static func remove(from connection: SQLiteConnection) {
    unsafe sqlite3_set_authorizer(connection, nil, nil)
  }

  /// Called when a DROP has ended, or before another statement is compiled.
  func forgetDroppedTable() { droppedTable = nil }

  @safe fileprivate func decide(
    _ action: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ schema: UnsafePointer<CChar>?
  ) -> CInt {
    @safe func text(_ pointer: UnsafePointer<CChar>?) -> String {
      unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }
    switch action {
    case SQLITE_READ:
      unsafe recorder?.read(
        table: text(first), column: text(second), schema: schema.map { unsafe String(cString: $0) })
    case SQLITE_SELECT: recorder?.select()
    case SQLITE_INSERT: record(.insert(tableName: text(first)), text(schema))
    case SQLITE_UPDATE:
      record(.update(tableName: text(first), columnNames: [text(second)]), text(schema))
    case SQLITE_DELETE: return decideDelete(from: text(first), schema: text(schema))
    case SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_VTABLE, SQLITE_DROP_VIEW,
      SQLITE_DROP_TEMP_VIEW:
      droppedTable = text(first)
      define { $0.drop(table: text(first)) }
    case SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_VIEW,
      SQLITE_CREATE_TEMP_VIEW, SQLITE_CREATE_VTABLE:
      define { $0.create(text(first), schema: text(schema)) }
    case SQLITE_DROP_INDEX, SQLITE_DROP_TEMP_INDEX, SQLITE_DROP_TRIGGER,
      SQLITE_DROP_TEMP_TRIGGER, SQLITE_CREATE_INDEX...SQLITE_CREATE_VIEW, SQLITE_DETACH:
      define { $0.changeSchema() }
    case SQLITE_ATTACH:
      recorder?.attach()
      hasAttached = true
    case SQLITE_ALTER_TABLE: define { $0.alter(table: text(second)) }
    case SQLITE_TRANSACTION: recorder?.transaction(Authorizer.transactionEffect(text(first)))
    case SQLITE_SAVEPOINT:
      if recorder == nil { hasForeignSavepoint = true }
      recorder?.transaction(Authorizer.savepointEffect(text(first), name: text(second)))
    case SQLITE_PRAGMA:
      let isQuestion = unsafe second == nil
      recorder?.pragma(text(first), isQuestion: isQuestion)
      if recorder == nil, !isQuestion, SQLName(text(first)) == SQLName("schema_version") {
        hasForeignDefinition = true
      }
      refusal = unsafe refusePragma?(
        text(first), second.map { unsafe String(cString: $0) },
        unsafe schema.map { unsafe String(cString: $0) })
      if refusal != nil { return SQLITE_DENY }
      if !isQuestion, Authorizer.meaningfulPragmas.contains(SQLName(text(first))) {
        onMeaningChange?()
      }
    case SQLITE_REINDEX: recorder?.isRarelyUsed()
    case SQLITE_ANALYZE:
      recorder?.analyze()
      onMeaningChange?()
    default: break
    }
    return SQLITE_OK
  }

  /// SQLite deletes all rows of a table at once, without reporting them, unless the authorizer
  /// answers `SQLITE_IGNORE`: then it deletes them one by one.
  ///
  /// During a DROP, that answer would prevent the drop itself.
  private func decideDelete(from table: String, schema: String) -> CInt {
    if table == droppedTable { return SQLITE_OK }
    if SQLName(table).isInternal {
      recorder?.change(.delete(tableName: table), schema: schema)
      return SQLITE_OK
    }
    record(.delete(tableName: table), schema)
    return SQLITE_IGNORE
  }

  /// Records a statement that can change the schema.
  private func define(_ record: (FactsRecorder) -> Void) {
    if let recorder { record(recorder) } else { hasForeignDefinition = true }
  }

  private func record(_ kind: DatabaseEventKind, _ schema: String) {
    if let recorder {
      recorder.change(kind, schema: schema)
    } else {
      recompilations &+= 1
      onRecompiledChange?(TableChange(schema: schema, kind: kind))
    }
  }

  private static func transactionEffect(_ operation: String) -> TransactionEffect {
    switch operation {
    case "BEGIN": .begin
    case "COMMIT": .commit
    default: .rollback
    }
  }

  private static func savepointEffect(_ operation: String, name: String) -> TransactionEffect {
    switch operation {
    case "BEGIN": .beginSavepoint(name)
    case "RELEASE": .releaseSavepoint(name)
    default: .rollbackToSavepoint(name)
    }
  }
}

private func authorize(
  context: UnsafeMutableRawPointer?, action: CInt, first: UnsafePointer<CChar>?,
  second: UnsafePointer<CChar>?, schema: UnsafePointer<CChar>?, trigger: UnsafePointer<CChar>?
) -> CInt {
  guard let context = unsafe context else { return SQLITE_OK }
  return unsafe Unmanaged<Authorizer>.fromOpaque(context)._withUnsafeGuaranteedRef {
    $0.decide(action, first, second, schema)
  }
}
