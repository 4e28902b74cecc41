import CofferCore

/// An order by a property, after whose values a page can continue.
struct DocumentOrderKey: Sendable {
  let sql: String
  let suffix: OrderSuffix

  private var isDescending: Bool { suffix.isDescending == true }
  /// SQLite's default treats NULL as the least value.
  private var hasNullsFirst: Bool { suffix.hasNullsFirst ?? !isDescending }

  /// Returns the condition of rows after a value.
  func isBehind(_ value: DatabaseValue) -> SQL {
    guard !value.isNull else { return SQL(sql: hasNullsFirst ? "\(sql) IS NOT NULL" : "0") }
    let end = hasNullsFirst ? "" : " OR \(sql) IS NULL"
    return "(\(sql: sql) \(sql: isDescending ? "<" : ">") \(value)\(sql: end))"
  }

  func isEqual(to value: DatabaseValue) -> SQL { "\(sql: sql) IS \(value)" }

  /// A text that identifies the order.
  var description: String { "\(sql) \(isDescending) \(hasNullsFirst)" }
}

extension [DocumentOrderKey] {
  /// Returns the condition of rows after a row with these values.
  func isBehind(_ values: [DatabaseValue]) -> SQL {
    let conditions = indices.map { index -> SQL in
      let equal = zip(self, values).prefix(index).map { $0.isEqual(to: $1) }
      let terms = equal + [self[index].isBehind(values[index])]
      return "(\(terms.joined(separator: " AND ")))"
    }
    return conditions.joined(separator: " OR ")
  }
}
