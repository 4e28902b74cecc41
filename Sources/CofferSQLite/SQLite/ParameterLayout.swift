import CSQLCipher

/// How SQLite lays out a statement's parameters, which its documentation doesn't say.
///
/// A function that binds a number checks, locks and releases what was bound before, each time: 80
/// instructions. A statement has the number of its parameters, the address of an array of their
/// values, which are laid out as those of a row (``CellLayout``), and a mask of the parameters that
/// its plan depends on. Where a statement's plan depends on none, and a parameter has a number or
/// NULL, which own no memory, a number can be stored in its place.
///
/// The places are taken from statements whose parameters SQLite's own functions have bound, and
/// used only if exactly one fits all of them, and SQLite then finds the values that were stored.
///
/// What must hold:
/// - The statement isn't being executed: SQLite refuses to bind then.
/// - One thread at a time uses the statement's connection.
@usableFromInline
package struct ParameterLayout: Sendable, Equatable {
  /// The offset of the address of the first value.
  @usableFromInline let values: Int
  /// The offset of the number of parameters, of which the lower 16 bits are used.
  @usableFromInline let count: Int
  /// The offset of the mask of parameters that the plan depends on.
  @usableFromInline let mask: Int
  /// How a value is laid out; unknown if the other offsets aren't known either.
  @usableFromInline let cell: CellLayout

  /// No layout: SQLite's functions are called for each value.
  static let unknown = ParameterLayout(values: 0, count: 0, mask: 0, cell: .unknown)

  /// That of the SQLite that is linked; unknown, too, if memory was exhausted as it was looked for.
  @usableFromInline package static let linked = proven() ?? unknown

  /// The kinds of values that own no memory: those that a number can replace.
  @usableFromInline static var plainKinds: UInt16 {
    CellLayout.integer | CellLayout.real | CellLayout.null
  }

  /// Stores a value, if it is a number of one of SQLite's own types.
  ///
  /// The comparisons cost nothing where the compiler knows the type, and it isn't optional.
  /// - Returns: Whether it was stored. If not, it has to be bound.
  @inlinable @inline(__always)
  @safe package func store<Value>(
    _ value: Value, in statement: SQLiteStatement, at index: CInt
  ) -> Bool {
    guard let (bits, kind) = Self.number(value) else { return false }
    return store(bits, kind, in: statement, at: index)
  }

  /// Returns a number of one of SQLite's own types, as it is stored; nil for other values.
  ///
  /// Not a number is none: SQLite has NULL for that.
  @inlinable @inline(__always)
  @safe static func number<Value>(_ value: Value) -> (bits: UInt64, kind: UInt16)? {
    if Value.self == Int.self || Value.self == Int64.self {
      // SAFETY: it is one.
      return (unsafe unsafeBitCast(value, to: UInt64.self), CellLayout.integer)
    }
    if Value.self == Double.self {
      // SAFETY: it is one.
      let real = unsafe unsafeBitCast(value, to: Double.self)
      return real.isNaN ? nil : (real.bitPattern, CellLayout.real)
    }
    return nil
  }

  /// Stores NULL.
  @inlinable @inline(__always)
  @safe package func storeNull(in statement: SQLiteStatement, at index: CInt) -> Bool {
    store(0, CellLayout.null, in: statement, at: index)
  }

  /// Stores a number, or NULL, as the value of a parameter.
  ///
  /// - Parameter kind: The value's flags.
  /// - Returns: Whether it was stored. If not, one of SQLite's functions has to be called.
  @inlinable @inline(__always)
  @safe func store(
    _ bits: UInt64, _ kind: UInt16, in statement: SQLiteStatement, at index: CInt
  ) -> Bool {
    let index = Int(index)
    guard let first = first(of: statement, upTo: index) else { return false }
    // SAFETY: the array has a value for each parameter.
    return unsafe store(bits, kind, at: first + cell.stride &* (index &- 1))
  }

  /// Returns where a statement has the value of its first parameter, until it is stepped.
  ///
  /// Nil if numbers can't be stored, or if it has no parameter with the index.
  @inlinable @inline(__always)
  @safe package func first(
    of statement: SQLiteStatement, upTo index: Int
  ) -> UnsafeMutableRawPointer? {
    guard cell.stride > 0 else { return nil }
    // SAFETY: the proof has shown where a statement of the linked SQLite has these.
    let start = unsafe UnsafeRawPointer(statement)
    let parameterCount = unsafe start.load(fromByteOffset: count, as: UInt16.self)
    guard UInt(bitPattern: index &- 1) < UInt(parameterCount),
      unsafe start.load(fromByteOffset: mask, as: UInt32.self) == 0
    else { return nil }
    return unsafe start.load(fromByteOffset: values, as: UnsafeMutableRawPointer.self)
  }

  /// The distance between the values of two parameters, in bytes.
  @inlinable package var stride: Int { cell.stride }

  /// Stores a value at its place, if it is a number of one of SQLite's own types.
  ///
  /// - Parameter place: That of a parameter, reached from ``first(of:upTo:)``.
  /// - Returns: Whether it was stored. If not, it has to be bound.
  @inlinable @inline(__always)
  package func store<Value>(_ value: Value, at place: UnsafeMutableRawPointer) -> Bool {
    guard let (bits, kind) = Self.number(value) else { return false }
    return unsafe store(bits, kind, at: place)
  }

  @inlinable @inline(__always)
  func store(_ bits: UInt64, _ kind: UInt16, at place: UnsafeMutableRawPointer) -> Bool {
    let flags = unsafe place.load(fromByteOffset: cell.flags, as: UInt16.self)
    guard flags & ~Self.plainKinds == 0 else { return false }
    // SAFETY: a value begins with its number, and what it had before owns nothing.
    unsafe place.storeBytes(of: bits, as: UInt64.self)
    unsafe place.storeBytes(of: kind, toByteOffset: cell.flags, as: UInt16.self)
    return true
  }
}

// MARK: - Proof

extension ParameterLayout {
  /// Statements whose parameters are numbered in different ways, each with the mask of those that
  /// its plan depends on: the patterns of `LIKE`.
  private static let statements: [(sql: String, mask: UInt32)] = [
    ("SELECT ?3", 0), ("SELECT ?1, ?2, 7, 8", 0), ("SELECT 5, ?7", 0),
    ("SELECT a FROM texts WHERE a LIKE ?2", 1 << 1),
    ("SELECT b FROM texts WHERE a LIKE ?1 AND b LIKE ?9", 1 << 0 | 1 << 8),
    ("UPDATE texts SET a = ?4 WHERE b LIKE ?3", 1 << 2),
    ("INSERT INTO texts VALUES (?1, ?5)", 0),
    ("SELECT ?31 FROM texts WHERE b LIKE ?31", 1 << 30),
    // Parameters without a number have no names, of which old versions have a number, too.
    ("SELECT ?, ?, ?, ?, ?, 1, 2", 0), ("DELETE FROM texts WHERE a = ? AND b LIKE ?", 1 << 1),
    ("SELECT 1, 2, 3, 4, ?12", 0), ("DELETE FROM texts WHERE a = ?21", 0), ("SELECT ?50", 0),
  ]

  /// The layout that fits all statements; nil if none does, or more than one.
  static func proven() -> ParameterLayout? {
    guard CellLayout.linked != .unknown, let memory = MemoryCopy(),
      let connection = try? SQLite.open(":memory:", flags: [.readWrite, .create, .noMutex])
    else { return nil }
    defer { SQLite.closeWhenIdle(connection) }
    let content = "CREATE TABLE texts(a TEXT, b TEXT); CREATE INDEX sorted ON texts(b)"
    guard (try? LibrarySQL.run(content, in: connection)) != nil else { return nil }
    var proof = Proof(cell: .linked)
    for (sql, mask) in statements {
      guard let statement = try? LibrarySQL.prepare(sql, in: connection) else { return nil }
      defer { SQLite.finalize(statement) }
      guard proof.look(at: statement, mask: mask, memory) else { return nil }
    }
    guard let layout = proof.layout, layout.isTrue(in: connection) else { return nil }
    return layout
  }

  /// What is known after the statements that were looked at.
  private struct Proof {
    let cell: CellLayout
    /// The places that fit all statements.
    private var values = Array(Swift.stride(from: 0, to: CellLayout.statementSize, by: 8))
    private var counts = Array(Swift.stride(from: 0, to: CellLayout.statementSize, by: 2))
    private var masks = Array(Swift.stride(from: 0, to: CellLayout.statementSize, by: 4))

    init(cell: CellLayout) { self.cell = cell }

    /// Nil if not exactly one place is left of each.
    var layout: ParameterLayout? {
      guard values.count == 1, counts.count == 1, masks.count == 1 else { return nil }
      return ParameterLayout(values: values[0], count: counts[0], mask: masks[0], cell: cell)
    }

    /// Looks at a statement that hasn't been executed.
    ///
    /// - Returns: False if no place is left of one of them.
    @safe mutating func look(
      at statement: SQLiteStatement, mask: UInt32, _ memory: borrowing MemoryCopy
    ) -> Bool {
      let count = SQLite.parameterCount(statement)
      let bound = (1...count).compactMap { Self.bind(at: $0, to: statement) }
      guard bound.count == count,
        let words = memory.words(
          at: UInt(bitPattern: statement), size: CellLayout.statementSize)
      else { return false }
      counts = counts.filter { Self.bits(at: $0, of: words, UInt16.self) == count }
      masks = masks.filter { Self.bits(at: $0, of: words, UInt32.self) == mask }
      values = values.filter { place in
        let address = words[place / 8]
        let size = count * cell.stride
        guard address % 8 == 0, address != 0, let found = memory.words(at: address, size: size)
        else { return false }
        return bound.enumerated().allSatisfy { index, value in
          let start = index * cell.stride
          return Self.bits(at: start + cell.flags, of: found, UInt16.self) == value.kind
            && (value.kind == CellLayout.null || found[start / 8] == value.bits)
        }
      }
      return !counts.isEmpty && !masks.isEmpty && !values.isEmpty
    }

    /// Binds a value that no other parameter has, with SQLite's function; nil if that fails.
    @safe private static func bind(
      at index: Int, to statement: SQLiteStatement
    ) -> (bits: UInt, kind: UInt16)? {
      let number = 0x0C0F_FE00_0000_0000 + Int64(index)
      let real = 1e100 + Double(index) * 1e90
      let parameter = CInt(index)
      switch index % 4 {
      case 1, 3:
        guard unsafe sqlite3_bind_int64(statement, parameter, number) == SQLITE_OK else {
          return nil
        }
        return (UInt(bitPattern: Int(number)), CellLayout.integer)
      case 2:
        guard unsafe sqlite3_bind_double(statement, parameter, real) == SQLITE_OK else {
          return nil
        }
        return (UInt(real.bitPattern), CellLayout.real)
      default:
        guard unsafe sqlite3_bind_null(statement, parameter) == SQLITE_OK else { return nil }
        return (0, CellLayout.null)
      }
    }

    private static func bits<Value: FixedWidthInteger>(
      at place: Int, of words: [UInt], _ type: Value.Type
    ) -> Value {
      unsafe words.withUnsafeBytes { unsafe $0.load(fromByteOffset: place, as: type) }
    }
  }

  /// Whether SQLite finds the values that are stored, and nothing is stored where SQLite's
  /// functions have to be called.
  @safe private func isTrue(in connection: SQLiteConnection) -> Bool {
    guard let statement = try? LibrarySQL.prepare("SELECT ?1, ?2, ?3", in: connection),
      let pattern = try? LibrarySQL.prepare("SELECT ?1 FROM texts WHERE b LIKE ?2", in: connection)
    else { return false }
    defer {
      SQLite.finalize(statement)
      SQLite.finalize(pattern)
    }
    for round in 1...6 {
      let integer = Int64(round) &* 0x0123_4567_89AB_CDEF
      let real = -1.5 * Double(round)
      let places: [CInt] = round % 2 == 0 ? [1, 2, 3] : [3, 1, 2]
      guard store(integer, in: statement, at: places[0]),
        store(real, in: statement, at: places[1]), storeNull(in: statement, at: places[2])
      else { return false }
      // The statement is compiled again as it is executed, and keeps its values.
      let change = "CREATE TABLE IF NOT EXISTS more\(round / 3)(a)"
      guard (try? LibrarySQL.run(change, in: connection)) != nil,
        SQLite.step(statement) == SQLite.row,
        SQLite.columnType(statement, places[0] - 1) == SQLite.integerType,
        SQLite.columnInt64(statement, places[0] - 1) == integer,
        SQLite.columnType(statement, places[1] - 1) == SQLite.floatType,
        SQLite.columnDouble(statement, places[1] - 1) == real,
        SQLite.columnIsNull(statement, places[2] - 1),
        SQLite.reset(statement) == SQLite.ok
      else { return false }
    }
    guard SQLite.bind("text", to: statement, at: 2) == SQLite.ok,
      !store(1, CellLayout.integer, in: statement, at: 2),
      store(1, CellLayout.integer, in: statement, at: 3),
      SQLite.step(statement) == SQLite.row, SQLite.columnInt64(statement, 2) == 1,
      unsafe SQLite.columnText(statement, 1).elementsEqual("text".utf8)
    else { return false }
    let isOutside = [-1, 0, 4].allSatisfy {
      !store(1, CellLayout.integer, in: statement, at: $0)
    }
    return isOutside && !store(1, CellLayout.integer, in: pattern, at: 1)
      && !store(1, CellLayout.integer, in: pattern, at: 2)
  }
}
