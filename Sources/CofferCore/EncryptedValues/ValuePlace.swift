import CofferVault

/// The place of an ``EncryptedValue``: a table, a column and a row.
///
/// A value opens only at the place for which it was sealed, so that nobody can move it to another
/// row or column. Names are compared as in SQL, without the case of ASCII letters.
///
/// ```swift
/// ValuePlace(table: "note", column: "body", row: id)
/// ```
///
/// Record types and collections of documents give their places: `note.valuePlace(of: \.body)`,
/// `Note.valuePlace(of: \.body, row: id)`, `books.valuePlace(of: \.remarks, id: id)`.
///
/// If a table or a column is renamed, or the key of a row changes, values have to be opened at
/// their former places, and sealed for the new ones.
public struct ValuePlace: Sendable, Hashable {
  private let table: SQLName
  private let column: SQLName
  private let row: [DatabaseValue]

  /// Creates the place of a value.
  ///
  /// - Parameters:
  ///   - table: The table's name.
  ///   - column: The column's name.
  ///   - row: The row's primary key: all its values, in the order of its columns, in the form in
  ///     which the row stores them. They must be known before the row is inserted, and never
  ///     change. A rowid without an `INTEGER PRIMARY KEY` column does change. With an automatic
  ///     key, insert the row without the value, then seal it for the new key, and update the row in
  ///     the same transaction.
  public init(table: String, column: String, row: any DatabaseValueConvertible...) {
    self.init(table: table, column: column, key: row)
  }

  package init(table: String, column: String, key: [any DatabaseValueConvertible]) {
    self.table = SQLName(table)
    self.column = SQLName(column)
    row = key.map(\.databaseValue)
  }

  /// The bytes to which a value is bound: see `Docs/Format.md`.
  ///
  /// - Throws: ``EncryptedValueError/noRow`` if the key has no value, or NULL.
  func boundBytes() throws(EncryptedValueError) -> [UInt8] {
    guard !row.isEmpty, !row.contains(where: \.isNullInSQL) else { throw .noRow }
    var bytes: [UInt8] = []
    for name in [table, column] { name.folded.databaseValue.appendDistinctBytes(to: &bytes) }
    for value in row { value.appendDistinctBytes(to: &bytes) }
    return bytes
  }
}

extension ValuePlace: CustomStringConvertible {
  /// The table and the column: `note.body`. The row's key is left out, since it can be private.
  public var description: String { "\(table.text).\(column.text)" }
}

extension DatabaseValue {
  /// Whether SQLite stores the value as NULL, which it does with NaN.
  fileprivate var isNullInSQL: Bool {
    switch storage {
    case .null: true
    case .double(let value): value.isNaN
    default: false
    }
  }

  /// Appends bytes that are the same for equal values only, and of which none begin with others.
  ///
  /// The first byte is SQLite's code of the storage class. Numbers have eight bytes, texts and
  /// blobs their length in eight bytes and their bytes; the most significant byte comes first.
  func appendDistinctBytes(to bytes: inout [UInt8]) {
    func append(_ code: UInt8, _ number: UInt64) {
      bytes.append(code)
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
    switch storage {
    case .null: bytes.append(5)
    case .double(let value) where value.isNaN: bytes.append(5)
    case .int64(let value): append(1, UInt64(bitPattern: value))
    case .double(let value):
      // A column can store one as the other.
      if let integer = Int64(exactly: value) {
        append(1, UInt64(bitPattern: integer))
      } else {
        append(2, value.bitPattern)
      }
    case .string(let value):
      append(3, UInt64(value.utf8.count))
      bytes += value.utf8
    case .blob(let value):
      append(4, UInt64(value.count))
      bytes += value
    }
  }
}
