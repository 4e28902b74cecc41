import CofferCore

/// An order by a property, after whose values a page can continue.
struct DocumentOrderKey: Sendable {
  let sql: String
  let suffix: OrderSuffix

  private var isDescending: Bool { suffix.isDescending == true }
  /// SQLite's default treats NULL as the least value.
  private var hasNullsFirst: Bool { suffix.nulls.map { $0 == .first } ?? !isDescending }

  /// Returns the condition of rows after a value.
  func isBehind(_ value: DatabaseValue) -> [SQL.Element] {
    guard !value.isNull else { return [.text(hasNullsFirst ? "\(sql) IS NOT NULL" : "0")] }
    let elements: [SQL.Element] = [
      .text("(\(sql) \(isDescending ? "<" : ">") "), .argument(StatementArgument(value)),
    ]
    return elements + [.text(hasNullsFirst ? ")" : " OR \(sql) IS NULL)")]
  }

  func isEqual(to value: DatabaseValue) -> [SQL.Element] {
    [.text("\(sql) IS "), .argument(StatementArgument(value))]
  }

  /// A text that identifies the order.
  var description: String { "\(sql) \(isDescending) \(hasNullsFirst)" }
}

extension [DocumentOrderKey] {
  /// Returns the condition of rows after a row with these values.
  func isBehind(_ values: [DatabaseValue]) -> SQL {
    var elements: [SQL.Element] = []
    for (index, key) in enumerated() {
      elements.append(.text(index == 0 ? "(" : " OR ("))
      for (other, value) in zip(self, values).prefix(index) {
        elements += other.isEqual(to: value) + [.text(" AND ")]
      }
      elements += key.isBehind(values[index]) + [.text(")")]
    }
    return SQL(elements: elements)
  }
}
