import CofferCore
import CofferQuery
import Foundation

/// The stored form of a Swift type's values.
enum StoredType: Sendable {
  case integer, boolean, real, text, blob, date, uuid, decimal, json
  /// The form isn't known.
  case any

  init(_ type: Any.Type) {
    switch type {
    case let type as any AnyOptional.Type: self.init(type.wrappedType)
    case is Bool.Type: self = .boolean
    case is any FixedWidthInteger.Type: self = .integer
    case is Double.Type, is Float.Type, is CGFloat.Type: self = .real
    case is String.Type, is URL.Type: self = .text
    case is Data.Type, is any StoredAsBlob.Type: self = .blob
    case is Date.Type: self = .date
    case is UUID.Type: self = .uuid
    case is Decimal.Type: self = .decimal
    case let type as any RawRepresentable.Type: self = StoredType(rawValueOf: type)
    default: self = .any
    }
  }

  private init<R: RawRepresentable>(rawValueOf type: R.Type) { self.init(R.RawValue.self) }

  /// The type with which a column is declared; nil for none.
  var declaredType: Database.ColumnType? {
    switch self {
    case .integer: .integer
    case .boolean: .boolean
    case .real: .double
    case .text, .decimal, .json: .text
    case .blob, .uuid: .blob
    case .date: .datetime
    case .any: nil
    }
  }

  /// Whether a column of a declared type stores the values and returns them unchanged.
  ///
  /// - Parameter declaration: The declared type. Types that SQLite's documentation doesn't name are
  ///   accepted.
  func fits(_ declaration: String) -> Bool {
    switch DeclaredClass(declaration) {
    case .integer: !([.text, .blob, .uuid, .json, .decimal].contains(self))
    case .real: !([.text, .blob, .uuid, .json, .integer, .decimal].contains(self))
    case .numeric: self != .decimal
    case .text: !([.integer, .boolean, .real].contains(self))
    case nil: true
    }
  }
}

/// The affinities that convert values, for well-known type names.
private enum DeclaredClass {
  case integer, real, text
  /// Converts only texts that are numbers.
  case numeric

  init?(_ declaration: String) {
    // `VARCHAR(10)`, `UNSIGNED BIG INT`.
    let words = declaration.uppercased().split { $0 == " " || $0 == "(" }
    switch words.first {
    case "INT", "INTEGER", "TINYINT", "SMALLINT", "MEDIUMINT", "BIGINT", "INT2", "INT4", "INT8":
      self = .integer
    case "UNSIGNED" where words.last == "INT" || words.last == "INTEGER": self = .integer
    case "REAL", "DOUBLE", "FLOAT": self = .real
    case "NUMERIC", "DECIMAL": self = .numeric
    case "TEXT", "VARCHAR", "CHARACTER", "CHAR", "NCHAR", "NVARCHAR", "CLOB": self = .text
    default: return nil
    }
  }
}
