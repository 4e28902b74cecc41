/// The type that SQLite prefers for the values of a column.
///
/// - Note: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
enum ColumnAffinity {
  case integer, text, blob, real, numeric

  init(declaredType type: String) {
    let type = type.uppercased()
    func has(_ words: String...) -> Bool { words.contains(where: type.contains) }
    if has("INT") {
      self = .integer
    } else if has("CHAR", "CLOB", "TEXT") {
      self = .text
    } else if type.isEmpty || has("BLOB") {
      self = .blob
    } else if has("REAL", "FLOA", "DOUB") {
      self = .real
    } else {
      self = .numeric
    }
  }

  /// Whether numbers are compared with texts that look like numbers.
  var isNumeric: Bool { self != .text && self != .blob }
}
