@testable import CofferCore
import FoundationEssentials
import Testing

@Suite struct RowDecodingErrorTests {
  let context = RowDecodingContext(
    columnName: "name", columnIndex: 1, row: "[id:1 name:\"foo\"]", sql: "SELECT * FROM t")

  @Test func `a mismatch has type, value, class, column, row and SQL`() {
    let error = RowDecodingError.valueMismatch(
      Int.self, context: context, databaseValue: "foo".databaseValue)
    #expect(
      error.description
        == #"could not decode Int from database value "foo" (text) - column: "name", "#
        + #"column index: 1, row: [id:1 name:"foo"], sql: `SELECT * FROM t`"#)
    #expect(error.kind == .valueMismatch)
    #expect(error.message == #"could not decode Int from database value "foo" (text)"#)
    #expect(error.expectedType == "Int")
    #expect(error.databaseValue == "foo".databaseValue)
    #expect(error.columnName == "name")
    #expect(error.columnIndex == 1)
    #expect(error.sql == "SELECT * FROM t")
    #expect(error.arguments == nil)
    #expect(error.expandedDescription == error.description)
  }

  @Test func `each class of value is named`() {
    func message(_ value: DatabaseValue) -> String {
      RowDecodingError.valueMismatch(
        Date.self, context: RowDecodingContext(), databaseValue: value
      ).description
    }
    #expect(message(.null) == "could not decode Date from database value NULL")
    #expect(message(1.databaseValue) == "could not decode Date from database value 1 (integer)")
    #expect(message(1.5.databaseValue) == "could not decode Date from database value 1.5 (real)")
    #expect(
      message(Data([1, 2]).databaseValue)
        == "could not decode Date from database value Data(2 bytes) (blob)")
  }

  @Test func `a missing column is named`() {
    let error = RowDecodingError.columnNotFound("nmae", context: context)
    #expect(
      error.description
        == #"column not found: "nmae" - row: [id:1 name:"foo"], sql: `SELECT * FROM t`"#)
    #expect(error.kind == .columnNotFound)
    #expect(error.columnName == "nmae")
    let second = RowDecodingError.columnNotFound(at: 7, context: RowDecodingContext())
    #expect(second.description == "column not found: no column at index 7")
    #expect(second.columnIndex == 7)
  }

  @Test func `a missing key is named, with those that there are`() {
    let error = RowDecodingError.keyNotFound(
      "author", available: ["b", "a"], context: RowDecodingContext(sql: "SELECT 1"))
    #expect(
      error.description
        == #"key not found: "author" - available keys: a, b - sql: `SELECT 1`"#)
    #expect(error.kind == .keyNotFound)
    let second = RowDecodingError.keyNotFound("author", context: RowDecodingContext())
    #expect(second.description == #"key not found: "author""#)
  }
}
