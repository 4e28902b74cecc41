import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// What a literal stores must be what each value converts to by itself: elements are read in the
/// memory of the literal.
@Suite struct LiteralArgumentsTests {
  private enum Color: String, DatabaseValueConvertible { case red, green }

  /// Too large for an existential's own memory.
  private struct Large: DatabaseValueConvertible, Equatable {
    var a = 1, b = 2, c = 3, d = 4
    var text = "a text that has storage elsewhere"

    var databaseValue: DatabaseValue { "\(a) \(b) \(c) \(d) \(text)".databaseValue }
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Large? { nil }
  }

  private final class Object: StatementBinding {
    var statementArgument: StatementArgument { "an object".statementArgument }
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt { SQLite.misuse }
  }

  /// The same values, converted one by one.
  private func converted(_ values: [(any StatementBinding)?]) -> StatementArguments {
    StatementArguments(
      positional: values.map { $0?.statementArgument ?? .null }, named: [:])
  }

  @Test func `elements are stored the same without knowing their layout`() {
    #expect(LiteralElement.layoutIsKnown)
    let elements: [(any StatementBinding)?] = [
      1, nil, Int64.min, Int8(3), true, 2.5, "short", String(repeating: "long ", count: 50),
      Data([1, 2]), Large(), Object(), [1, 2, 3],
    ]
    elements.withUnsafeBufferPointer { elements in
      let inPlace = LiteralArguments(elements, inPlace: true)
      let copied = LiteralArguments(elements, inPlace: false)
      #expect(inPlace.array == copied.array)
      #expect(copied.array == converted(Array(elements)).positional)
    }
  }

  @Test func `an existential is three words of value, followed by its type, on this toolchain`() {
    #expect(MemoryLayout<(any StatementBinding)?>.size == 5 * MemoryLayout<UInt>.size)
    #expect(MemoryLayout<(any StatementBinding)?>.stride == MemoryLayout<any StatementBinding>.size)
  }

  @Test func `integers of each type`() {
    let arguments: StatementArguments = [
      1, -1, Int.max, Int.min, Int64.max, Int64.min, Int8.min, Int16.max, Int32.min, UInt8.max,
      UInt16.max, UInt32.max, UInt64(Int64.max), UInt(7), true, false,
    ]
    let integers: [any StatementBinding] = [
      1, -1, Int.max, Int.min, Int64.max, Int64.min, Int8.min, Int16.max, Int32.min, UInt8.max,
      UInt16.max, UInt32.max, UInt64(Int64.max), UInt(7), true, false,
    ]
    #expect(arguments == converted(integers))
    #expect(arguments.positional[3].databaseValue?.storage == .int64(.min))
    #expect(arguments.positional[6].databaseValue?.storage == .int64(-128))
    #expect(arguments.positional[14].databaseValue?.storage == .int64(1))
  }

  @Test func `values of other types`() throws {
    let (date, id) = (Date(timeIntervalSince1970: 1_000), UUID.seeded())
    let long = String(repeating: "long ", count: 100)
    let arguments: StatementArguments = [
      1.5, Float(0.25), -Double.infinity, "", "short", long, "é\0日本", Data(), Data([1, 2, 3]),
      Data(count: 1_000), date, id, Color.green, Large(), Object(), [1, 2, 3], ["a"],
      DatabaseValue.null, 7.databaseValue, "x".statementArgument,
    ]
    let values: [(any StatementBinding)?] = [
      1.5, Float(0.25), -Double.infinity, "", "short", long, "é\0日本", Data(), Data([1, 2, 3]),
      Data(count: 1_000), date, id, Color.green, Large(), Object(), [1, 2, 3], ["a"],
      DatabaseValue.null, 7.databaseValue, "x".statementArgument,
    ]
    #expect(arguments == converted(values))
    #expect(arguments.positional[12].databaseValue == "green".databaseValue)
    #expect(arguments.positional[14].databaseValue == "an object".databaseValue)
  }

  @Test func `nil in each form is NULL`() {
    let (none, nested): (Int?, String??) = (nil, .some(nil))
    let existential: (any DatabaseValueConvertible)? = nil
    let arguments: StatementArguments = [nil, none, nested, existential, Int?.some(3)]
    #expect(arguments == StatementArguments([nil, nil, nil, nil, 3] as [Int?]))
    #expect(arguments.description == "[NULL, NULL, NULL, NULL, 3]")
  }

  @Test func `an empty literal has no arguments`() {
    let arguments: StatementArguments = []
    #expect(arguments.isEmpty)
    #expect(arguments == StatementArguments())
    #expect(!([nil] as StatementArguments).isEmpty)
  }

  @Test func `a literal equals other arguments with its values, and hashes like them`() {
    let literal: StatementArguments = [1, "a", nil]
    let made = StatementArguments([1, "a", nil] as [(any DatabaseValueConvertible)?])
    #expect(literal == made)
    #expect(literal.hashValue == made.hashValue)
    #expect(literal != [1, "a"])
    #expect(literal != [1, "b", nil])
    #expect(literal != ["a": 1])
    #expect(([1] as StatementArguments) == [1.0])
  }

  @Test func `a change of a literal's arguments leaves copies unchanged`() {
    let literal: StatementArguments = ["a", "b"]
    var changed = literal
    changed += ["c", "d"]
    #expect(changed == ["a", "b", "c", "d"])
    #expect(changed.append(contentsOf: ["name": 1]).isEmpty)
    #expect(changed.description == #"["a", "b", "c", "d", name: 1]"#)
    #expect(literal == ["a", "b"])
    #expect(["name": 1] + literal == literal + ["name": 1])
  }

  @Test func `values that own memory are released with the arguments, once`() throws {
    weak var object: ArrayArgumentStorage?
    do {
      let array = ArrayArgument([1, 2, 3])
      object = array.storage
      let arguments: StatementArguments = [1, array, nil]
      #expect(arguments.positional.count == 3)
      let copy = arguments
      #expect(copy == arguments)
    }
    #expect(object == nil)
  }

  @Test func `values that own memory outlive the statement's use of them`() throws {
    try EncryptedQueue.with { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?, ?, ? IN (?)")
      for round in 1...3 {
        let text = String(repeating: "text ", count: 10 * round)
        try statement.setArguments([text, Data(count: round), round, [1, 2]])
        let row = try #require(try Row.fetchOne(statement))
        #expect(row[0] == text)
        #expect(row[1] == Data(count: round))
        #expect(row[2] == (round < 3))
        #expect(statement.arguments == [text, Data(count: round), round, [1, 2]])
      }
    }
  }

  @Test func `a wrong number of values binds nothing`() throws {
    try EncryptedQueue.with { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?, ?")
      try statement.setArguments([1, 2])
      for wrong in [[3], [3, 4, 5]] as [StatementArguments] {
        let error = databaseError { try statement.setArguments(wrong) }
        #expect(error?.resultCode == .SQLITE_MISUSE)
      }
      let row = try #require(try Row.fetchOne(statement))
      #expect(row[0] == 1)
      #expect(row[1] == 2)
      #expect(statement.arguments == [1, 2])
    }
  }
}
