import Coffer

/// A question about the packages, and the query that answers it.
struct Question {
  /// A column of the answer, and the format of its values.
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

  /// Returns the formatted value; NULL becomes an empty string.
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
