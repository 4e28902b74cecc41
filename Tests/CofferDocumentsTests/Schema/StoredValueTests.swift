import Coffer
import Foundation
import Testing

/// A type of each kind that is stored as a number, in the forms in which properties have them.
private struct Of<Value: Codable & Sendable>: Codable, CustomCollectionName, Sendable {
  static var collectionName: String { "Item" }
  var value: Value
}

private struct Wrapped<Value: Codable & Equatable>: Codable, CustomCollectionName {
  static var collectionName: String { "Item" }
  @Index var value: Value
}

private enum Grade: Int, Codable, Equatable, Sendable { case none, some }

private enum StoredGrade: Int, Codable, DatabaseValueConvertible, Sendable { case none, some }

/// The columns of a file that was written by another form of a type.
@Suite("Stored values that are no longer of the property's type") struct StoredValueTests {
  private let encrypted: EncryptedStore

  init() throws {
    encrypted = try EncryptedStore(.queue, "CREATE TABLE Item (value)")
  }

  private func store(_ literal: String) throws {
    try encrypted.store.execute("DELETE FROM Item")
    try encrypted.store.execute("INSERT INTO Item VALUES (\(raw: literal))")
  }

  /// The errors of all ways to read the value.
  private func errors<Value: Codable & Sendable & Equatable>(
    _ type: Value.Type, _ literal: String
  ) throws -> [any Error] {
    try store(literal)
    let values = try encrypted.again().collection(Of<Value>.self)
    let wrapped = try encrypted.again().collection(Wrapped<Value>.self)
    let ways: [() throws -> Void] = [
      { _ = try values.all().fetchMany() },
      { _ = try values.all().fetchOne() },
      { _ = try values.all().fetchMany(\.value) },
      { _ = try values.all().fetchMany(Of<Value>.self) },
      { _ = try wrapped.all().fetchMany() },
      { _ = try wrapped.all().fetchMany(\.value) },
      { _ = try encrypted.store.read { _ in try values.all().fetchMany() } },
    ]
    return try ways.compactMap { way in
      do {
        try way()
        return nil
      } catch let error as RowDecodingError { return error }
    }
  }

  private func expectErrors<Value: Codable & Sendable & Equatable>(
    _ type: Value.Type, _ literals: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for literal in literals {
      let errors = try errors(type, literal)
      #expect(errors.count == 7, "\(literal) as \(type)", sourceLocation: sourceLocation)
      for error in errors {
        let text = "\(error)"
        #expect(text.contains("value"), sourceLocation: sourceLocation)
        #expect(!text.contains("secret"), "\(text)", sourceLocation: sourceLocation)
      }
      let count = try encrypted.store.execute(
        Int.self, "SELECT count(*) FROM Item WHERE value IS \(raw: literal)")
      #expect(count == 1, sourceLocation: sourceLocation)
    }
  }

  @Test func `text is no number`() throws {
    let texts = ["'secret'", "'12 secrets'", "'12'", "''", "x'31'"]
    for text in texts {
      try expectErrors(Int.self, text)
      try expectErrors(Int?.self, text)
      try expectErrors(Double.self, text)
      try expectErrors(Double?.self, text)
      try expectErrors(Bool.self, text)
      try expectErrors(Bool?.self, text)
    }
    try expectErrors(Int8.self, "'secret'")
    try expectErrors(Int16.self, "'secret'")
    try expectErrors(Int32.self, "'secret'")
    try expectErrors(Int64.self, "'secret'", "'12'")
    try expectErrors(UInt.self, "'secret'", "'12'")
    try expectErrors(UInt8.self, "'secret'")
    try expectErrors(UInt16?.self, "'secret'")
    try expectErrors(UInt32.self, "'secret'")
    try expectErrors(UInt64.self, "'secret'")
    try expectErrors(Float.self, "'secret'", "'1.5'")
    try expectErrors(Grade.self, "'secret'", "'1'")
    try expectErrors(Grade?.self, "'secret'", "'1'")
    try expectErrors(StoredGrade.self, "'secret'", "'1'")
    try expectErrors(StoredGrade?.self, "'secret'", "'1'")
  }

  @Test func `bytes are no text, unless they are UTF-8`() throws {
    try expectErrors(String.self, "x'73656372657480'")
    try expectErrors(String?.self, "x'FF'")
    try expect("secret", "x'736563726574'")
    try expect("", "''")
    try expect("1.5", "1.5")
  }

  @Test func `a Boolean is 0 or 1`() throws {
    try expectErrors(Bool.self, "2", "-1", "0.5", "424242")
    try expectErrors(Bool?.self, "2")
  }

  @Test func `nil is no number, where there must be one`() throws {
    try expectErrors(Int.self, "NULL")
    try expectErrors(Double.self, "NULL")
    try expectErrors(Bool.self, "NULL")
    try expectErrors(String.self, "NULL")
    try expectErrors(Grade.self, "NULL")
    #expect(try errors(Int?.self, "NULL").isEmpty)
    #expect(try errors(Grade?.self, "NULL").isEmpty)
  }

  @Test func `a number keeps its fraction, or is an error`() throws {
    try expectErrors(Int.self, "1.5", "-0.25", "1e300")
    try expectErrors(Int?.self, "1.5")
    try expectErrors(Int8.self, "1.5", "128", "1e3")
    try expectErrors(UInt.self, "1.5", "-1")
    try expectErrors(Grade.self, "0.5", "7")
    #expect(try errors(Int.self, "3.0").isEmpty)
    #expect(try errors(UInt8.self, "255").isEmpty)
  }

  private func read<Value: Codable & Sendable>(
    _ type: Value.Type, _ literal: String
  ) throws -> [Value] {
    try store(literal)
    let values = try encrypted.again().collection(Of<Value>.self)
    let optionals = try encrypted.again().collection(Of<Value?>.self)
    return try values.all().fetchMany().map(\.value) + values.all().fetchMany(\.value)
      + optionals.all().fetchMany().compactMap(\.value)
      + optionals.all().fetchMany(\.value).compactMap { $0 }
  }

  private func expect<Value: Codable & Sendable & Equatable>(
    _ value: Value, _ literal: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let values = try read(Value.self, literal)
    #expect(values == Array(repeating: value, count: 4), sourceLocation: sourceLocation)
  }

  @Test func `numbers that a type can have are read as they are`() throws {
    try expect(0, "0")
    try expect(-7, "-7")
    try expect(3, "3.0")
    try expect(Int64.max, "9223372036854775807")
    try expect(Int64.min, "-9223372036854775808")
    try expect(2.0, "2")
    try expect(0.0, "0")
    try expect(0.1, "0.1")
    try expect(Float(0.5), "0.5")
    try expect(true, "1")
    try expect(false, "0")
    try expect(true, "1.0")
    try expect(UInt32(7), "7")
    try expect(Grade.some, "1")
    try expect(StoredGrade.some, "1.0")
    try expect("7", "7")
  }

  @Test func `the error names the document's type, and the property`() throws {
    struct Item: Codable { var number: Int, inner: Inner }
    struct Inner: Codable { var count: Int }
    try encrypted.store.execute("DROP TABLE Item")
    try encrypted.store.execute("CREATE TABLE Item (number, inner)")
    try encrypted.store.execute("INSERT INTO Item VALUES ('secret', '{\"count\":\"secret\"}')")
    let items = try encrypted.again().collection(Item.self)
    let ways: [(column: String, way: () throws -> Void)] = [
      ("number", { _ = try items.all().fetchMany() }),
      ("number", { _ = try items.all().fetchMany(\.number) }),
      ("inner", { _ = try items.all().fetchMany(\.inner) }),
      ("inner.count", { _ = try items.all().fetchMany(\.inner.count) }),
    ]
    for (column, way) in ways {
      do {
        try way()
        Issue.record("nothing was thrown")
      } catch let error as RowDecodingError {
        #expect(error.columnName == column)
        #expect(error.recordType == "Item")
        #expect(!"\(error)".contains("secret"))
      }
    }
  }

  @Test func `documents decoded before an error are still there after it`() throws {
    try store("1")
    try encrypted.store.execute("INSERT INTO Item VALUES ('secret'), (3)")
    let values = try encrypted.again().collection(Of<Int>.self)
    #expect(throws: RowDecodingError.self) { try values.all().fetchMany() }
    #expect(throws: RowDecodingError.self) { try values.all().fetchMany(\.value) }
    #expect(try values.filter("typeof(value) = 'integer'").fetchMany(\.value) == [1, 3])
    #expect(try values.all().fetchCount() == 3)
    let texts = try encrypted.again().collection(Of<String>.self)
    #expect(try texts.filter("typeof(value) = 'text'").fetchMany(\.value) == ["secret"])
    try texts.filter(\.value, equalTo: "secret").delete()
    #expect(try values.all().fetchMany(\.value) == [1, 3])
  }

  @Test func `types are as strict where SQL is executed`() throws {
    let store = encrypted.store
    #expect(try store.execute([[String]].self, "SELECT 1, 'a', 1.5") == [["1", "a", "1.5"]])
    #expect(
      try store.execute([[String]].self, "SELECT 1 AS a, 2.0 AS b UNION ALL SELECT 'x', 'y'")
        == [["1", "2.0"], ["x", "y"]])
    #expect(try store.execute(String.self, "SELECT 7") == "7")
    #expect(
      try store.execute([String: String].self, "SELECT 7 AS a, 'x' AS b") == ["a": "7", "b": "x"])
    #expect(try store.execute(Int.self, "SELECT 1.0") == 1)
    #expect(try store.execute(Double.self, "SELECT 1") == 1)
    #expect(try store.execute([String?].self, "SELECT NULL UNION ALL SELECT 3") == [nil, "3"])
    let ways: [() throws -> Void] = [
      { _ = try store.execute(Int.self, "SELECT 1.7") },
      { _ = try store.execute([Int].self, "SELECT 1 UNION ALL SELECT 1.7") },
      { _ = try store.execute([[Int]].self, "SELECT 1, \("secret")") },
      { _ = try store.execute(Int?.self, "SELECT \("secret")") },
      { _ = try store.execute(Int.self, "SELECT NULL") },
      { _ = try store.execute(Int8.self, "SELECT 12345") },
      { _ = try store.execute(Bool.self, "SELECT 2") },
      { _ = try store.execute(String.self, "SELECT x'FF'") },
      { _ = try store.execute(String.self, "SELECT NULL") },
      { _ = try store.execute(Double.self, "SELECT \("secret")") },
      { _ = try store.execute([String: Int].self, "SELECT 1.5 AS a") },
    ]
    for (index, way) in ways.enumerated() {
      do {
        try way()
        Issue.record("nothing was thrown by \(index)")
      } catch let error as RowDecodingError {
        #expect(!"\(error)".contains("secret") && !"\(error)".contains("coffer_value"))
      }
    }
  }

  @Test func `a number that is read as a text is found as one`() throws {
    try store("7")
    try encrypted.store.execute("INSERT INTO Item VALUES ('7'), (1.5), ('x'), (NULL)")
    let texts = try encrypted.again().collection(Of<String?>.self)
    #expect(try texts.all().fetchMany(\.value) == ["7", "7", "1.5", "x", nil])
    #expect(try texts.filter(\.value, equalTo: "7").fetchCount() == 2)
    #expect(try texts.filter(\.value, equalTo: "1.5").fetchCount() == 1)
    #expect(try texts.filter(\.value, notEqualTo: "7").fetchCount() == 3)
    #expect(try texts.filter { $0.value == "7" }.fetchCount() == 2)
    #expect(try texts.filter { $0.value != "7" }.fetchCount() == 3)
    #expect(try texts.filter { !($0.value == "7") }.fetchCount() == 3)
    #expect(try texts.filter(\.value, equalTo: "07").fetchCount() == 0)
  }

  @Test func `nothing is equal to NaN`() throws {
    try store("1.5")
    try encrypted.store.execute("INSERT INTO Item VALUES (NULL)")
    let numbers = try encrypted.again().collection(Of<Double?>.self)
    func message(_ query: QueryBuilder<Of<Double?>>) -> String? {
      documentError { try query.fetchMany() }
    }
    #expect(message(numbers.filter(\.value, equalTo: .nan))?.contains("NaN") == true)
    #expect(message(numbers.filter(\.value, notEqualTo: .nan))?.contains("NaN") == true)
    #expect(message(numbers.filter(\.value, lessThan: .nan))?.contains("NaN") == true)
    #expect(message(numbers.filter("\(\.value) IS \(Double.nan)"))?.contains("NaN") == true)
    #expect(try numbers.filter { $0.value == .nan }.fetchCount() == 0)
    #expect(try numbers.filter { $0.value != .nan }.fetchCount() == 2)
    #expect(try numbers.filter(\.value, equalTo: nil).fetchCount() == 1)
  }

  @Test func `a coding key with NUL is refused`() throws {
    struct Odd: Codable {
      var value: Int
      enum CodingKeys: String, CodingKey { case value = "a\0b" }
    }
    let message = documentError { try encrypted.store.collection(Odd.self) }
    #expect(message?.contains("NUL") == true)
  }
}
