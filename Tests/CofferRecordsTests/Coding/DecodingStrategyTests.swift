import Coffer
import CofferTestSupport
import Foundation
import Testing

@Suite struct DecodingStrategyTests {
  protocol Strategy { static var strategy: DatabaseDateDecodingStrategy { get } }

  struct Dated<S: Strategy>: Decodable, FetchableRecord {
    var date: Date
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
      S.strategy
    }
  }

  struct OptionallyDated<S: Strategy>: Decodable, FetchableRecord {
    var date: Date?
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
      S.strategy
    }
  }

  func check<S: Strategy>(
    _ strategy: S.Type, _ pairs: [((any DatabaseValueConvertible), Date)],
    invalid: (any DatabaseValueConvertible)? = "no date"
  ) throws {
    try EncryptedQueue.with { db throws in
      for (stored, date) in pairs {
        let request = SQLRequest<Row>(sql: "SELECT ? AS date", arguments: [stored])
        #expect(try Dated<S>.fetchOne(db, request)?.date == date)
        #expect(try OptionallyDated<S>.fetchOne(db, request)?.date == date)
        #expect(try Dated<S>(row: request.fetchOne(db)!).date == date)
        #expect(try OptionallyDated<S>(row: request.fetchOne(db)!).date == date)
      }
      #expect(try OptionallyDated<S>.fetchOne(db, sql: "SELECT NULL AS date")?.date == nil)
      #expect(try OptionallyDated<S>(row: ["date": nil]).date == nil)
      guard let invalid else { return }
      let request = SQLRequest<Row>(sql: "SELECT ? AS date", arguments: [invalid])
      let error = #expect(throws: RowDecodingError.self) { try Dated<S>.fetchOne(db, request) }
      #expect(error?.kind == .valueMismatch && error?.expectedType == "Date")
      #expect(throws: RowDecodingError.self) { try OptionallyDated<S>.fetchOne(db, request) }
      #expect(throws: RowDecodingError.self) { try Dated<S>(row: ["date": nil]) }
    }
  }

  @Test func `dates are deferred to Date`() throws {
    enum S: Strategy { static let strategy = DatabaseDateDecodingStrategy.deferredToDate }
    try check(
      S.self,
      [
        ("2015-07-22 01:02:03", Date(timeIntervalSince1970: 1_437_526_923)),
        (1_437_526_920, Date(timeIntervalSince1970: 1_437_526_920)),
      ])
  }

  @Test func `dates are numbers`() throws {
    enum Reference: Strategy {
      static let strategy = DatabaseDateDecodingStrategy.timeIntervalSinceReferenceDate
    }
    try check(
      Reference.self,
      [
        (0, Date(timeIntervalSinceReferenceDate: 0)),
        (123.456, Date(timeIntervalSinceReferenceDate: 123.456)),
      ])
    enum Epoch: Strategy {
      static let strategy = DatabaseDateDecodingStrategy.timeIntervalSince1970
    }
    try check(
      Epoch.self,
      [
        (0, Date(timeIntervalSince1970: 0)), (123.456, Date(timeIntervalSince1970: 123.456)),
      ])
    enum Milliseconds: Strategy {
      static let strategy = DatabaseDateDecodingStrategy.millisecondsSince1970
    }
    try check(
      Milliseconds.self,
      [
        (123_456, Date(timeIntervalSince1970: 123.456)),
        (123456.789, Date(timeIntervalSince1970: 123456.789 / 1000)),
      ])
  }

  @Test func `dates are texts`() throws {
    enum ISO: Strategy { static let strategy = DatabaseDateDecodingStrategy.iso8601 }
    try check(
      ISO.self, [("2018-08-19T17:18:07Z", Date(timeIntervalSince1970: 1_534_699_087))])
    enum Formatted: Strategy {
      static let strategy: DatabaseDateDecodingStrategy = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "d MMM yyyy HH:mm"
        return .formatted(formatter)
      }()
    }
    try check(
      Formatted.self, [("19 Aug 2018 17:18", Date(timeIntervalSince1970: 1_534_699_080))])
  }

  @Test func `a function makes dates`() throws {
    enum Custom: Strategy {
      static let strategy = DatabaseDateDecodingStrategy.custom { value in
        value == "no date".databaseValue || value.isNull
          ? nil : Date(timeIntervalSinceReferenceDate: 123_456)
      }
    }
    try check(Custom.self, [("whatever", Date(timeIntervalSinceReferenceDate: 123_456))])
  }

  @Test func `a function makes data, of the columns that it is for`() throws {
    struct Record: Decodable, FetchableRecord {
      var data: Data, other: Data, optional: Data?
      static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
        column == "other"
          ? .deferredToData
          : .custom { $0 == "invalid".databaseValue ? nil : Data("foo".utf8) }
      }
    }
    try EncryptedQueue.with { db throws in
      let record = try Record.fetchOne(db, sql: "SELECT 'x' AS data, 'y' AS other, 1 AS optional")
      #expect(record?.data == Data("foo".utf8) && record?.other == Data("y".utf8))
      #expect(record?.optional == Data("foo".utf8))
      let null = try Record.fetchOne(db, sql: "SELECT 1 AS data, '' AS other, NULL AS optional")
      #expect(null?.other == Data() && null?.optional == nil)
      #expect(throws: RowDecodingError.self) {
        try Record.fetchOne(db, sql: "SELECT 'invalid' AS data, 'y' AS other")
      }
    }
  }

  @Test func `JSON has its own decoder for each column`() throws {
    struct Record: Decodable, FetchableRecord {
      var seconds: [Date], milliseconds: [Date?], data: [Data?]
      static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy =
          column == "seconds" ? .secondsSince1970 : .millisecondsSince1970
        return decoder
      }
    }
    let record = try Record(
      row: ["seconds": "[128]", "milliseconds": "[null,128000]", "data": #"[null,"Zm9v"]"#])
    #expect(record.seconds == [Date(timeIntervalSince1970: 128)])
    #expect(record.milliseconds == [nil, Date(timeIntervalSince1970: 128)])
    #expect(record.data == [nil, Data("foo".utf8)])
  }

  @Test func `keys are found as columns in snake case`() throws {
    struct Record: Decodable, FetchableRecord, Equatable {
      var teamId: Int, _private_: Int, plain: Int, recordID: String?, missing: String?
      static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
        .convertFromSnakeCase
      }
    }
    try EncryptedQueue.with { db throws in
      let sql = "SELECT 1 AS team_id, 2 AS _private_, 3 AS plain, 'x' AS record_id"
      let record = try Record.fetchOne(db, sql: sql)
      #expect(record == Record(teamId: 1, _private_: 2, plain: 3, recordID: "x", missing: nil))
      #expect(try Record(row: Row.fetchOne(db, sql: sql)!) == record)
    }
  }

  @Test func `a function gives the keys of columns`() throws {
    struct Record: Decodable, FetchableRecord {
      var id: Int, name: String
      static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
        .custom { TextKey(stringValue: String($0.dropFirst(2))) }
      }
    }
    let record = try Record(row: ["c_id": 1, "c_name": "a"])
    #expect(record.id == 1 && record.name == "a")
    #expect(throws: RowDecodingError.self) { try Record(row: ["id": 1, "name": "a"]) }
  }
}
