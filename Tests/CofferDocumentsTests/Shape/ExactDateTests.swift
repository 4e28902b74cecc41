import Coffer
import Foundation
import Testing

@testable import CofferDocuments

@Suite("Dates of documents keep all digits") struct ExactDateTests {
  fileprivate struct Event: Codable, Identifiable, Equatable {
    var id: Int
    @Index var date: Date
    var other: Date?
  }

  private static let intervals: [Double] = [
    0, 0.1, -0.1, 1e-7, -1e-7, Double.leastNonzeroMagnitude, 0.5, -0.5, 123_456_789.123_456_7,
    -123_456_789.123_456_7,
    804_168_000.000_123, 804_168_000.000_122_9, 804_168_000.123, 804_168_000.1229, -1, -0.999_999_9,
    1.000_000_000_000_000_2, -62_000_000_000.25, 200_000_000_000.5, 63_072_000_000.000_03,
    .ulpOfOne, 978_307_200.1, -978_307_200.1,
  ]

  private static var dates: [Date] {
    var dates = intervals.map(Date.init(timeIntervalSinceReferenceDate:))
    var state: UInt64 = 1
    for _ in 0..<2000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let number = Double(Int64(bitPattern: state) >> 20) / Double(1 << (state % 24))
      dates.append(
        Date(timeIntervalSinceReferenceDate: number.truncatingRemainder(dividingBy: 6e10)))
    }
    return dates
  }

  @Test func `a date comes back to the last digit, is found, and sorted`() throws {
    let encrypted = try EncryptedStore(.queue)
    let events = try encrypted.store.collection(Event.self)
    let dates = Self.dates
    let all = dates.enumerated().map { Event(id: $0.offset, date: $0.element, other: $0.element) }
    try events.insert(all)
    #expect(try events.all().orderBy(\.id).fetchMany() == all)
    #expect(try events.all().orderBy(\.id).fetchMany(\.date) == dates)
    #expect(try events.all().orderBy(\.date).fetchMany(\.date) == dates.sorted())
    for date in dates.prefix(60) {
      #expect(try events.filter(\.date, equalTo: date).fetchOne()?.date == date)
      #expect(try events.filter { $0.date == date }.fetchOne()?.date == date)
      #expect(try events.filter { $0.other == date }.fetchOne()?.date == date)
      let before = dates.count { $0 < date }
      #expect(try events.filter { [date].contains($0.other) }.fetchOne()?.date == date)
      #expect(try events.filter(\.date, lessThan: date).fetchCount() == before)
      #expect(try events.filter { $0.date < date }.fetchCount() == before)
      #expect(try events.filter { !($0.date >= date) }.fetchCount() == before)
      #expect(
        try events.filter { (date...).contains($0.date) }.fetchCount() == dates.count - before)
    }
    let texts = try encrypted.store.execute([String].self, "SELECT date FROM Event ORDER BY id")
    for (text, date) in zip(texts, dates) {
      #expect(Date.fromDatabaseValue(text.databaseValue) == date)
      #expect(text.utf8.count >= 23 && text.contains(" "))
    }
  }

  @Test func `the forms of former versions and of records are read and compared`() throws {
    let encrypted = try EncryptedStore(.queue)
    let events = try encrypted.store.collection(Event.self)
    try encrypted.store.execute(
      """
      INSERT INTO Event (id, date) VALUES (1, '2026-01-31 12:00:00.000'), (2, '2026-01-31 12:00:00.123'),
        (3, '2026-01-31 12:00:00'), (4, '2026-01-31T12:00:00Z')
      """)
    let noon = Date(timeIntervalSince1970: 1_769_860_800)
    #expect(try events.filter(\.date, equalTo: noon).fetchMany(\.id) == [1])
    #expect(try events.filter { $0.date == noon }.fetchMany(\.id) == [1])
    let later = try #require(try events.filter(id: 2).fetchOne()?.date)
    #expect(try events.filter(\.date, equalTo: later).fetchMany(\.id) == [2])
    #expect(
      try events.filter(\.date, greaterThan: noon).filter(\.id, lessThan: 3).fetchMany(\.id) == [2])
    try events.save(Event(id: 2, date: later))
    #expect(
      try encrypted.store.execute(String.self, "SELECT date FROM Event WHERE id = 2")
        == "2026-01-31 12:00:00.123")
    #expect(try events.filter(id: 4).fetchOne()?.date == noon)
  }
}
