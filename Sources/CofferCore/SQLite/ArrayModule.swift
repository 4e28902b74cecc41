import CSQLCipher

/// `coffer_array(array)`, a virtual table with one column, `value`, that reads an array argument.
///
/// It is eponymous: it needs no `CREATE VIRTUAL TABLE`, and so it works on read-only connections.
/// <https://sqlite.org/vtab.html#epovtab>
enum ArrayModule {
  static func register(in connection: SQLiteConnection, registry: ArrayRegistry) -> CInt {
    // SAFETY: the database retains the registry until the connection is closed.
    let context = Unmanaged.passUnretained(registry).toOpaque()
    return sqlite3_create_module_v2(connection, "coffer_array", module, context, nil)
  }

  // SAFETY: written once, before it is shared, and only read afterwards, by SQLite.
  private nonisolated(unsafe) static let module: UnsafePointer<sqlite3_module> = {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    module.initialize(to: sqlite3_module())
    module.pointee.iVersion = 0
    module.pointee.xConnect = arrayConnect
    module.pointee.xBestIndex = arrayBestIndex
    module.pointee.xDisconnect = arrayDisconnect
    module.pointee.xOpen = arrayOpen
    module.pointee.xClose = arrayClose
    module.pointee.xFilter = arrayFilter
    module.pointee.xNext = arrayNext
    module.pointee.xEof = arrayEof
    module.pointee.xColumn = arrayColumn
    module.pointee.xRowid = arrayRowid
    return UnsafePointer(module)
  }()
}

// The structures that SQLite sees: its own struct comes first, as in C inheritance.

private struct ArrayTable {
  var base: sqlite3_vtab
  var registry: Unmanaged<ArrayRegistry>
}

private struct ArrayCursor {
  var base: sqlite3_vtab_cursor
  var reader: Unmanaged<ArrayReader>
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

  func setResult(_ context: OpaquePointer?) {
    switch elements {
    case .integers(let integers): sqlite3_result_int64(context, integers[index])
    case .values(let values): SQLite.setResult(values[index], of: context)
    case .lazy: SQLite.setResult(current ?? .null, of: context)
    }
  }
}

extension SQLite {
  /// Sets the result of a function or of a virtual table's column.
  static func setResult(_ value: DatabaseValue, of context: OpaquePointer?) {
    switch value.storage {
    case .null: sqlite3_result_null(context)
    case .int64(let value): sqlite3_result_int64(context, value)
    case .double(let value): sqlite3_result_double(context, value)
    case .string(var value):
      value.withUTF8 { utf8 in
        guard let start = utf8.baseAddress else { return coffer_result_text(context, "", 0) }
        start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
          coffer_result_text(context, $0, UInt64(utf8.count))
        }
      }
    case .blob(let value):
      value.withUnsafeBytes { coffer_result_blob(context, $0.baseAddress, UInt64($0.count)) }
    }
  }
}

private func arrayConnect(
  connection: OpaquePointer?, context: UnsafeMutableRawPointer?, argumentCount: CInt,
  arguments: UnsafePointer<UnsafePointer<CChar>?>?,
  table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
  message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  guard let context, let table else { return SQLITE_MISUSE }
  // Declares no type: the elements keep their types.
  let code = sqlite3_declare_vtab(connection, "CREATE TABLE x(value, array HIDDEN)")
  guard code == SQLITE_OK else { return code }
  let new = UnsafeMutablePointer<ArrayTable>.allocate(capacity: 1)
  new.initialize(
    to: ArrayTable(
      base: sqlite3_vtab(), registry: Unmanaged<ArrayRegistry>.fromOpaque(context)))
  table.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vtab.self)
  return SQLITE_OK
}

private func arrayDisconnect(table: UnsafeMutablePointer<sqlite3_vtab>?) -> CInt {
  UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: ArrayTable.self).deallocate()
  return SQLITE_OK
}

private func arrayBestIndex(
  table: UnsafeMutablePointer<sqlite3_vtab>?, info: UnsafeMutablePointer<sqlite3_index_info>?
) -> CInt {
  guard let info else { return SQLITE_MISUSE }
  let constraintCount = Int(info.pointee.nConstraint)
  for index in 0..<constraintCount {
    let constraint = info.pointee.aConstraint[index]
    let isArray = constraint.iColumn == 1 && Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ
    guard isArray else { continue }
    guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
    info.pointee.aConstraintUsage[index].argvIndex = 1
    info.pointee.aConstraintUsage[index].omit = 1
    info.pointee.estimatedCost = 100
    info.pointee.estimatedRows = 100
    info.pointee.idxNum = 1
    return SQLITE_OK
  }
  // Without an array the table is empty.
  info.pointee.estimatedCost = 1
  info.pointee.estimatedRows = 1
  info.pointee.idxNum = 0
  return SQLITE_OK
}

private func arrayOpen(
  table: UnsafeMutablePointer<sqlite3_vtab>?,
  cursor: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
) -> CInt {
  guard let cursor else { return SQLITE_MISUSE }
  let new = UnsafeMutablePointer<ArrayCursor>.allocate(capacity: 1)
  new.initialize(
    to: ArrayCursor(
      base: sqlite3_vtab_cursor(), reader: Unmanaged.passRetained(ArrayReader())))
  cursor.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
  return SQLITE_OK
}

private func arrayCursor(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
) -> UnsafeMutablePointer<ArrayCursor>? {
  UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: ArrayCursor.self)
}

private func arrayClose(cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
  guard let cursor = arrayCursor(cursor) else { return SQLITE_OK }
  cursor.pointee.reader.release()
  cursor.deallocate()
  return SQLITE_OK
}

private func arrayFilter(
  cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, indexNumber: CInt,
  indexText: UnsafePointer<CChar>?, argumentCount: CInt,
  arguments: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  guard let cursor = arrayCursor(cursor) else { return SQLITE_MISUSE }
  var array: ArrayArgumentStorage?
  if indexNumber == 1, argumentCount == 1, let arguments, let value = arguments[0] {
    let table = UnsafeMutableRawPointer(cursor.pointee.base.pVtab)
      .assumingMemoryBound(to: ArrayTable.self)
    array = table.pointee.registry._withUnsafeGuaranteedRef {
      $0.array(at: coffer_value_array(value))
    }
  }
  cursor.pointee.reader._withUnsafeGuaranteedRef { $0.start(array) }
  return SQLITE_OK
}

private func arrayNext(cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
  arrayCursor(cursor)?.pointee.reader._withUnsafeGuaranteedRef { $0.advance() }
  return SQLITE_OK
}

private func arrayEof(cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
  let isAtEnd = arrayCursor(cursor)?.pointee.reader._withUnsafeGuaranteedRef { $0.isAtEnd }
  return isAtEnd ?? true ? 1 : 0
}

private func arrayColumn(
  cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, context: OpaquePointer?, index: CInt
) -> CInt {
  if index == 0 {
    arrayCursor(cursor)?.pointee.reader._withUnsafeGuaranteedRef { $0.setResult(context) }
  } else {
    sqlite3_result_null(context)
  }
  return SQLITE_OK
}

private func arrayRowid(
  cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, rowID: UnsafeMutablePointer<sqlite3_int64>?
) -> CInt {
  rowID?.pointee =
    arrayCursor(cursor)?.pointee.reader._withUnsafeGuaranteedRef { $0.rowID } ?? 0
  return SQLITE_OK
}
