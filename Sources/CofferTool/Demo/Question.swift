import Coffer

/// A question that a person would ask, and the query that answers it.
struct Question {
  /// A column of the answer, and how its values are shown.
  enum Field {
    case text(String)
    case count(String)
    /// KiB, shown as MiB.
    case size(String)
    case decimal(String)
    case percent(String)
  }

  var text: String
  var columns: [Field]
  var request: AnyFetchRequest<Row>
  /// What is worth knowing about the query.
  var note: String?
}

/// The rows that answer a question, as text, and the time that they took.
struct Answer {
  /// How many rows a table shows; of the others, the number is told.
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
    let clock = ContinuousClock()
    let start = clock.now
    let rows = try request.fetchAll(db)
    let time = clock.now - start

    var table = TextTable(columns.map(\.tableColumn))
    for row in rows.prefix(Answer.shownRows) {
      table.append(columns.indices.map { columns[$0].cell(row, $0) })
    }
    return Answer(table: table, rowCount: rows.count, time: time)
  }
}

extension Question.Field {
  fileprivate var tableColumn: TextTable.Column {
    switch self {
    case .text(let title): .text(title)
    case .count(let title), .size(let title), .decimal(let title), .percent(let title):
      .number(title)
    }
  }

  /// The value as it is shown; NULL is nothing.
  fileprivate func cell(_ row: Row, _ index: Int) -> String {
    switch self {
    case .text: (row[index] as String?) ?? ""
    case .count: (row[index] as Int?).map { Numbers.grouped($0) } ?? ""
    case .size: (row[index] as Int?).map(Numbers.mebibytes) ?? ""
    case .decimal: (row[index] as Double?).map { Numbers.decimal($0) } ?? ""
    case .percent: (row[index] as Double?).map { Numbers.decimal($0) + " %" } ?? ""
    }
  }
}
