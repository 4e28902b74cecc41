import Coffer

/// A question about the packages, and the query that answers it.
struct Question {
  /// A column of the answer, and the format of its values.
  struct Field {
    let column: TextTable.Column
    /// Returns the formatted value; NULL becomes an empty string.
    let cell: @Sendable (_ row: Row, _ index: Int) -> String

    static func text(_ title: String) -> Field {
      Field(column: .text(title)) { row, index in row[index] ?? "" }
    }

    static func count(_ title: String) -> Field { number(title) { ($0 as Int).formatted() } }

    /// KiB, shown as MiB.
    static func size(_ title: String) -> Field { number(title) { ($0 as Int).asMebibytes } }

    static func decimal(_ title: String) -> Field { number(title) { ($0 as Double).text() } }

    static func percent(_ title: String) -> Field { number(title) { ($0 as Double).text() + " %" } }

    private static func number<Value: DatabaseValueConvertible & Sendable>(
      _ title: String, _ format: @escaping @Sendable (Value) -> String
    ) -> Field {
      Field(column: .number(title)) { row, index in (row[index] as Value?).map(format) ?? "" }
    }
  }

  var text: String
  var columns: [Field]
  var request: AnyFetchRequest<Row>
  /// A remark about the query.
  var note: String?
}

/// The rows that answer a question, as text, and the time that the query took.
struct Answer {
  /// The number of rows that a table shows. The others are only counted.
  static let shownRows = 5

  var table: TextTable
  var rowCount: Int
  var time: Duration
}

extension Question {
  init(
    text: String, columns: [Field], note: String? = nil, request: some FetchRequest<Row>
  ) {
    self.init(
      text: text, columns: columns, request: AnyFetchRequest(request), note: note)
  }

  func answer(_ db: Database) throws -> Answer {
    let (rows, time) = try timed { try request.fetchAll(db) }
    var table = TextTable(columns.map(\.column))
    for row in rows.prefix(Answer.shownRows) {
      table.append(columns.indices.map { columns[$0].cell(row, $0) })
    }
    return Answer(table: table, rowCount: rows.count, time: time)
  }
}
