import CofferCore
import CofferRecords
import FoundationEssentials

/// A row that is decoded as a `Decodable` type, like a record.
struct DecodedRow<Value: Decodable>: Decodable, FetchableRecord, StrictlyDecoded {
  static var decodedType: any Any.Type { Value.self }

  let value: Value

  init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}

/// A column that is decoded as a `Decodable` type, like a record's column.
struct SelectedValue<Value: Decodable>: Decodable, FetchableRecord, StrictlyDecoded {
  private enum CodingKeys: String, CodingKey { case value = "coffer_value" }
  static var decodedType: any Any.Type { Value.self }

  /// The name of the selected column. No property has it, since an order by that property would
  /// refer to this column.
  static var columnName: String { CodingKeys.value.stringValue }

  let value: Value

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    value = try container.decode(Value.self, forKey: .value)
  }

  /// Returns the value in a row's column, whatever the name of the column.
  static func value(of row: Row, at index: Int) throws -> Value {
    let value = row.databaseValue(at: index)
    do {
      return try SelectedValue(row: Row(columnNames: [columnName], values: [value])).value
    } catch let error as RowDecodingError {
      throw error.naming(column: row.columnNames[index], ofRecord: Value.self)
    }
  }
}

/// A part of a column's JSON that is decoded as a `Decodable` type.
struct SelectedLeaf<Value: Decodable>: Decodable, FetchableRecord, StrictlyDecoded {
  static var decodedType: any Any.Type { Value.self }

  let value: Value

  init(from decoder: any Decoder) throws {
    value = try SelectedValue<Value>(from: decoder).value
  }

  // The forms of dates and data in the JSON of records.
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .millisecondsSince1970
  }

  static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
    .custom { value in String.fromDatabaseValue(value).flatMap { Data(base64Encoded: $0) } }
  }
}
