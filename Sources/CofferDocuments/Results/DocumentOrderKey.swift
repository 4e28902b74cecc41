import CofferCore

/// An order by a property, which pages go on from.
struct DocumentOrderKey: Sendable {
  let sql: String
  let suffix: OrderSuffix

  private var isDescending: Bool { suffix.isDescending == true }
  /// As SQLite does by itself, NULL being the least of values.
  private var hasNullsFirst: Bool { suffix.nulls.map { $0 == .first } ?? !isDescending }

  /// What comes behind a value.
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

  /// What tells one order from another.
  var description: String { "\(sql) \(isDescending) \(hasNullsFirst)" }
}

extension [DocumentOrderKey] {
  /// The condition of what comes behind a row with some values.
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
