import Coffer

/// Rows as INSERT statements.
struct SQLRows: RowFormat {
  private let start: String
  private let count: Int
  private let reader: RealReader
  private let output: ByteOutput

  init(table: String, _ columns: [String], reads reader: RealReader, to output: ByteOutput) {
    let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ",")
    start = "INSERT INTO \(table.quotedDatabaseIdentifier)(\(names)) VALUES("
    count = columns.count
    self.reader = reader
    self.output = output
  }

  func begin() {}

  func add(_ row: Row) throws {
    output.append(start)
    for index in 0..<count {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      let isText = row.withUTF8(at: index) { text in
        guard let text else { return false }
        output.append(ValueText.quoted(text))
        return true
      }
      if isText { continue }
      switch (row[index] as DatabaseValue).storage {
      case .double(let number) where number.isFinite: output.append(try reader.text(number))
      default: output.append(ValueText.sql(row[index]))
      }
    }
    output.line(");")
    output.flushIfFull()
  }

  func end() {}
}

/// Finds the text of numbers that SQLite reads as the same numbers: what it reads isn't always the
/// nearest one.
final class RealReader {
  private let db: Database
  private var statement: Statement?

  init(_ db: Database) { self.db = db }

  /// Returns SQL for a finite number.
  func text(_ number: Double) throws -> String {
    let short = ValueText.text(number)
    // So many digits are read without a rounding.
    if number == number.rounded(), number.magnitude < 1e15 { return short }
    for text in [
      short, ValueText.scientific(number, digits: 17), ValueText.scientific(number, digits: 20),
    ]
    where try read(text) == number {
      return text
    }
    return Self.exactSQL(number)
  }

  private func read(_ text: String) throws -> Double? {
    if statement == nil { statement = try db.makeStatement(sql: "SELECT CAST(? AS REAL)") }
    guard let statement else { return nil }
    return try Double.fetchOne(statement, arguments: [text])
  }

  /// A product of an integer and powers of two, none of which any SQLite rounds.
  private static func exactSQL(_ number: Double) -> String {
    var (mantissa, exponent) = (
      Int64(number.significandBitPattern), Int(number.exponentBitPattern) - 1075
    )
    if number.exponentBitPattern == 0 { exponent += 1 } else { mantissa |= 1 << 52 }
    while mantissa & 1 == 0, mantissa > 0 { (mantissa, exponent) = (mantissa >> 1, exponent + 1) }
    var sql = "\(number.sign == .minus ? "-" : "")\(mantissa)*1.0"
    while exponent != 0 {
      let step = min(30, abs(exponent))
      sql += (exponent > 0 ? "*" : "/") + "\(1 << step).0"
      exponent += exponent > 0 ? -step : step
    }
    return sql
  }
}
