import CSQLCipher

/// How SQLite lays out the values of a row, which its documentation doesn't say.
///
/// A value begins with eight bytes, its integer or its real, and has 16 bits of flags somewhere
/// behind them, of which the lowest six say what kind of value it is. These bits have been the same
/// in all versions; the place of the flags, and the size of a value, have not. So both are taken
/// from values that SQLite's own functions describe, of rows that are made in different ways, and
/// used only if exactly one place fits all of them. So is where a statement has the address of its
/// row's values; if that isn't known, SQLite is asked for it in each row.
@usableFromInline
package struct CellLayout: Sendable, Equatable {
  /// The distance between two values of a row, in bytes; 0 if it isn't known.
  @usableFromInline package let stride: Int
  /// The offset of a value's flags.
  @usableFromInline package let flags: Int
  /// The offset of the address of a row's values in its statement; 0 if it isn't known.
  @usableFromInline let row: Int

  @usableFromInline static var kinds: UInt16 { 0x3F }
  @usableFromInline static var null: UInt16 { 0x01 }
  @usableFromInline static var text: UInt16 { 0x02 }
  @usableFromInline static var integer: UInt16 { 0x04 }
  @usableFromInline static var real: UInt16 { 0x08 }

  /// No layout: SQLite's functions are called for each value.
  package static let unknown = CellLayout(stride: 0, flags: 0, row: 0)

  /// That of the SQLite that is linked; unknown, too, if memory was exhausted as it was looked for.
  @usableFromInline package static let linked = proven() ?? unknown

  /// The bytes of a statement that are looked at.
  static let statementSize = 384
  /// The sizes that a value can have, in bytes.
  private static let sizes = 24...256

  /// Statements that make rows in different ways, each with numbers, NULL, and other values.
  private static let statements = [
    """
    SELECT 1, -5000000000, 2.5, NULL, 'text', x'0102', 9007199254740993, 0, -1.5, 'a' || 'b',
      3 + 4, 1.0 * 3, zeroblob(3), CAST('7' AS INTEGER), CAST(7 AS REAL), 4 > 3
    """,
    "SELECT a, b, c, d, e, a + c, b * 2, c IS NULL, d || e, -b FROM cells",
    "SELECT b, a, c, e, d, c - a FROM cells ORDER BY d DESC, a",
    "SELECT a, b, d FROM cells UNION SELECT e, c, 1.25 FROM cells",
    "SELECT c, count(*), sum(a), avg(b), max(d), total(e) FROM cells GROUP BY c",
    "SELECT * FROM (SELECT e, d, c, b, a FROM cells ORDER BY a LIMIT 3)",
    "SELECT x.a, y.b, y.c, x.d FROM cells x LEFT JOIN cells y ON y.a = x.a + 3",
  ]

  private static let content = """
    CREATE TABLE cells(a INTEGER PRIMARY KEY, b REAL, c, d TEXT, e NUMERIC);
    INSERT INTO cells VALUES(1, 7, 123456789012345, '12', 5);
    INSERT INTO cells VALUES(2, -0.0, NULL, 'zwölf', 2.75);
    INSERT INTO cells VALUES(3, 1e300, x'00FF', NULL, -9223372036854775808);
    INSERT INTO cells VALUES(4, NULL, 0.1, '', 9223372036854775807);
    INSERT INTO cells VALUES(5, 4611686018427387904, -1, 'x', NULL);
    """

  /// The layout that fits all values; nil if none does, or more than one.
  static func proven() -> CellLayout? {
    guard let memory = MemoryCopy(),
      let connection = try? SQLite.open(":memory:", flags: [.readWrite, .create, .noMutex])
    else { return nil }
    defer { SQLite.closeWhenIdle(connection) }
    guard (try? LibrarySQL.run(content, in: connection)) != nil else { return nil }
    var proof = Proof()
    for sql in statements {
      guard let statement = try? LibrarySQL.prepare(sql, in: connection) else { return nil }
      defer { SQLite.finalize(statement) }
      while SQLite.step(statement) == SQLite.row {
        guard proof.look(at: statement, memory) else { return nil }
      }
    }
    return proof.layout
  }

  /// Returns where the values of a statement's current row are.
  @inlinable @inline(__always)
  @safe func values(of statement: SQLiteStatement) -> UnsafeRawPointer? {
    guard row > 0 else { return askedValues(of: statement) }
    // SAFETY: the proof has shown where a statement of the linked SQLite has the address.
    return unsafe UnsafeRawPointer(statement).load(
      fromByteOffset: row, as: UnsafeRawPointer?.self)
  }

  /// Returns where SQLite says that the values are; nil if their size isn't known.
  @usableFromInline @inline(never)
  @safe func askedValues(of statement: SQLiteStatement) -> UnsafeRawPointer? {
    unsafe stride > 0 ? UnsafeRawPointer(SQLite.columnValue(statement, 0)) : nil
  }

  /// What is known after the values that were looked at.
  private struct Proof {
    private var stride = 0
    /// The places where the flags can be.
    private var places: [Int] = []
    /// The places where a statement can have the address of its row's values.
    private var rows = Array(Swift.stride(from: 8, to: statementSize, by: 8))
    private var counts: [CInt: Int] = [:]

    /// Nil if there weren't enough values of each kind that is read, or not one place is left.
    var layout: CellLayout? {
      let read = [SQLite.integerType, SQLite.floatType, SQLite.textType, SQLite.nullType]
      let isEnough = read.allSatisfy { counts[$0, default: 0] >= 10 }
      guard isEnough, places.count == 1 else { return nil }
      return CellLayout(
        stride: stride, flags: places[0], row: rows.count == 1 ? rows[0] : 0)
    }

    /// - Returns: False if no place is left.
    @safe mutating func look(
      at statement: SQLiteStatement, _ memory: borrowing MemoryCopy
    ) -> Bool {
      let addresses = (0..<SQLite.columnCount(statement)).map {
        Int(bitPattern: SQLite.columnValue(statement, CInt($0)))
      }
      guard addresses.count > 2, addresses[0] != 0 else { return false }
      let words = memory.words(at: UInt(bitPattern: statement), size: statementSize)
      rows = rows.filter { words?[$0 / 8] == UInt(bitPattern: addresses[0]) }
      if stride == 0 {
        stride = addresses[1] - addresses[0]
        guard CellLayout.sizes ~= stride, stride % 8 == 0 else { return false }
        places = Array(Swift.stride(from: 8, to: stride, by: 2))
      }
      guard zip(addresses, addresses.dropFirst()).allSatisfy({ $1 - $0 == stride }) else {
        return false
      }
      for column in addresses.indices {
        let value = SQLite.columnValue(statement, CInt(column))
        guard let start = unsafe UnsafeRawPointer(value) else { return false }
        let type = SQLite.valueType(value)
        counts[type, default: 0] += 1
        places = places.filter { place in
          // SAFETY: SQLite has an array of values with this distance.
          let flags = unsafe start.load(fromByteOffset: place, as: UInt16.self)
          return unsafe Self.fits(flags & CellLayout.kinds, type, value, start)
        }
      }
      return !places.isEmpty
    }

    /// Whether a value can have these flags: whatever they say is true, and each of SQLite's types
    /// has its own. A number that was also needed as text has the flag of both.
    private static func fits(
      _ kind: UInt16, _ type: CInt, _ value: OpaquePointer?, _ start: UnsafeRawPointer
    ) -> Bool {
      switch type {
      case SQLite.integerType:
        return unsafe kind == CellLayout.integer
          ? start.load(as: Int64.self) == SQLite.valueInt64(value)
          : kind == CellLayout.integer | CellLayout.text
      case SQLite.floatType:
        // An integer in a column of reals can be stored as one, and has flags of its own.
        let bits = SQLite.valueDouble(value).bitPattern
        return unsafe kind == CellLayout.real
          ? start.load(as: UInt64.self) == bits
          : kind & 0x0F == 0 || kind == CellLayout.real | CellLayout.text
      case SQLite.nullType: return kind == CellLayout.null
      case SQLite.textType: return kind == CellLayout.text
      default: return kind & 0x10 != 0 && kind & 0x0F == 0
      }
    }
  }
}
