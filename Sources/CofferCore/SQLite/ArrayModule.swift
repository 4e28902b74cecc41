import CSQLCipher
import CofferVault

/// `coffer_array(array)`, a virtual table with one column, `value`, that reads an array argument.
///
/// It is eponymous: it needs no `CREATE VIRTUAL TABLE`, and so it works on read-only connections.
/// <https://sqlite.org/vtab.html#epovtab>
enum ArrayModule {
  @safe static func register(in connection: SQLiteConnection, registry: ArrayRegistry) -> CInt {
    // SAFETY: the database retains the registry until the connection is closed.
    let context = unsafe Unmanaged.passUnretained(registry).toOpaque()
    return unsafe sqlite3_create_module_v2(connection, "coffer_array", module, context, nil)
  }

  // SAFETY: written once, before it is shared, and only read afterwards, by SQLite.
  private nonisolated(unsafe) static let module: UnsafePointer<sqlite3_module> = {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    unsafe module.initialize(to: sqlite3_module())
    unsafe module.pointee.iVersion = 0
    unsafe module.pointee.xConnect = unsafe arrayConnect
    unsafe module.pointee.xBestIndex = unsafe arrayBestIndex
    unsafe module.pointee.xDisconnect = unsafe arrayDisconnect
    unsafe module.pointee.xOpen = unsafe arrayOpen
    unsafe module.pointee.xClose = unsafe arrayClose
    unsafe module.pointee.xFilter = unsafe arrayFilter
    unsafe module.pointee.xNext = unsafe arrayNext
    unsafe module.pointee.xEof = unsafe arrayEof
    unsafe module.pointee.xColumn = unsafe arrayColumn
    unsafe module.pointee.xRowid = unsafe arrayRowid
    return unsafe UnsafePointer(module)
  }()
}

// The structures that SQLite sees: its own struct comes first, as in C inheritance.

@safe private struct ArrayTable {
  @safe var base: sqlite3_vtab
  @safe var registry: Unmanaged<ArrayRegistry>
}

@safe private struct ArrayCursor {
  @safe var base: sqlite3_vtab_cursor
  @safe var reader: Unmanaged<ArrayReader>
}

/// Iterates over the elements of one array.
private final class ArrayReader {
  private var elements: ArrayArgumentStorage.Elements = .integers([])
  private var next: (() -> DatabaseValue?)?
  private var current: DatabaseValue?
  private var index = 0
  private var count = 0

  func start(_ array: ArrayArgumentStorage?) {
    index = 0
    next = nil
    current = nil
    elements = array?.elements ?? .integers([])
    switch elements {
    case .integers(let integers): count = integers.count
    case .values(let values): count = values.count
    case .lazy(_, let iterate):
      let next = iterate()
      self.next = next
      current = next()
    }
  }

  func advance() {
    index += 1
    if let next { current = next() }
  }

  var isAtEnd: Bool { next == nil ? index >= count : current == nil }

  var rowID: Int64 { Int64(index) }

  @safe func setResult(_ context: OpaquePointer?) {
    switch elements {
    case .integers(let integers): unsafe sqlite3_result_int64(context, integers[index])
    case .values(let values): SQLite.setResult(values[index], of: context)
    case .lazy: SQLite.setResult(current ?? .null, of: context)
    }
  }
}

extension SQLite {
  /// Sets the result of a function or of a virtual table's column.
  @safe static func setResult(_ value: DatabaseValue, of context: OpaquePointer?) {
    switch value.storage {
    case .null: unsafe sqlite3_result_null(context)
    case .int64(let value): unsafe sqlite3_result_int64(context, value)
    case .double(let value): unsafe sqlite3_result_double(context, value)
    case .string(var value):
      value.withUTF8 { utf8 in
        guard let start = utf8.baseAddress else { return unsafe coffer_result_text(context, "", 0) }
        unsafe start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
          unsafe coffer_result_text(context, $0, UInt64(utf8.count))
        }
      }
    case .blob(let value):
      unsafe value.withUnsafeBytes {
        unsafe coffer_result_blob(context, $0.baseAddress, UInt64($0.count))
      }
    }
  }
}

private func arrayConnect(
  connection: OpaquePointer?, context: UnsafeMutableRawPointer?, argumentCount: CInt,
  arguments: UnsafePointer<UnsafePointer<CChar>?>?,
  table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
  message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  guard let context = unsafe context, let table = unsafe table else { return SQLITE_MISUSE }
  // Declares no type: the elements keep their types.
  let code = unsafe sqlite3_declare_vtab(connection, "CREATE TABLE x(value, array HIDDEN)")
  guard code == SQLITE_OK else { return code }
  let new = UnsafeMutablePointer<ArrayTable>.allocate(capacity: 1)
  unsafe new.initialize(
    to: ArrayTable(
      base: sqlite3_vtab(), registry: Unmanaged<ArrayRegistry>.fromOpaque(context)))
  unsafe table.pointee = unsafe UnsafeMutableRawPointer(new).assumingMemoryBound(
    to: sqlite3_vtab.self)
  return SQLITE_OK
}

private func arrayDisconnect(table: UnsafeMutablePointer<sqlite3_vtab>?) -> CInt {
  unsafe UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: ArrayTable.self).deallocate()
  return SQLITE_OK
}

private func arrayBestIndex(
  table: UnsafeMutablePointer<sqlite3_vtab>?, info: UnsafeMutablePointer<sqlite3_index_info>?
) -> CInt {
  guard let info = unsafe info else { return SQLITE_MISUSE }
  let constraintCount = unsafe Int(info.pointee.nConstraint)
  for index in 0..<constraintCount {
    let constraint = unsafe info.pointee.aConstraint[index]
    let isArray = constraint.iColumn == 1 && Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ
    guard isArray else { continue }
    guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
    unsafe info.pointee.aConstraintUsage[index].argvIndex = 1
    unsafe info.pointee.aConstraintUsage[index].omit = 1
    unsafe info.pointee.estimatedCost = 100
    unsafe info.pointee.estimatedRows = 100
    unsafe info.pointee.idxNum = 1
    return SQLITE_OK
  }
  // Without an array the table is empty.
  unsafe info.pointee.estimatedCost = 1
  unsafe info.pointee.estimatedRows = 1
  unsafe info.pointee.idxNum = 0
  return SQLITE_OK
}

private func arrayOpen(
  table: UnsafeMutablePointer<sqlite3_vtab>?,
  cursor: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
) -> CInt {
  guard let cursor = unsafe cursor else { return SQLITE_MISUSE }
  let new = UnsafeMutablePointer<ArrayCursor>.allocate(capacity: 1)
  unsafe new.initialize(
    to: ArrayCursor(
      base: sqlite3_vtab_cursor(), reader: Unmanaged.passRetained(ArrayReader())))
  unsafe cursor.pointee = unsafe UnsafeMutableRawPointer(new).assumingMemoryBound(
    to: sqlite3_vtab_cursor.self)
  return SQLITE_OK
}

private func arrayCursor(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
) -> UnsafeMutablePointer<ArrayCursor>? {
  unsafe UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: ArrayCursor.self)
}

private func arrayClose(cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
  guard let cursor = unsafe arrayCursor(cursor) else { return SQLITE_OK }
  unsafe cursor.pointee.reader.release()
  unsafe cursor.deallocate()
  return SQLITE_OK
}

private func arrayFilter(
  cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, indexNumber: CInt,
  indexText: UnsafePointer<CChar>?, argumentCount: CInt,
  arguments: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  guard let cursor = unsafe arrayCursor(cursor) else { return SQLITE_MISUSE }
  var array: ArrayArgumentStorage?
  if indexNumber == 1, argumentCount == 1, let arguments = unsafe arguments,
    let value = unsafe arguments[0]
  {
    let table = unsafe UnsafeMutableRawPointer(cursor.pointee.base.pVtab)
      .assumingMemoryBound(to: ArrayTable.self)
    array = unsafe table.pointee.registry._withUnsafeGuaranteedRef {
      unsafe $0.array(at: coffer_value_array(value))
    }
  }
  unsafe cursor.pointee.reader._withUnsafeGuaranteedRef { $0.start(array) }
  return SQLITE_OK
}

private func arrayNext(cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
  unsafe arrayCursor(cursor)?.pointee.reader._withUnsafeGuaranteedRef { $0.advance() }
  return SQLITE_OK
}

private func arrayEof(cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
  let isAtEnd = unsafe arrayCursor(cursor)?.pointee.reader._withUnsafeGuaranteedRef { $0.isAtEnd }
  return isAtEnd ?? true ? 1 : 0
}

private func arrayColumn(
  cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, context: OpaquePointer?, index: CInt
) -> CInt {
  if index == 0 {
    unsafe arrayCursor(cursor)?.pointee.reader._withUnsafeGuaranteedRef { $0.setResult(context) }
  } else {
    unsafe sqlite3_result_null(context)
  }
  return SQLITE_OK
}

private func arrayRowid(
  cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, rowID: UnsafeMutablePointer<sqlite3_int64>?
) -> CInt {
  unsafe rowID?.pointee =
    unsafe arrayCursor(cursor)?.pointee.reader._withUnsafeGuaranteedRef { $0.rowID } ?? 0
  return SQLITE_OK
}
