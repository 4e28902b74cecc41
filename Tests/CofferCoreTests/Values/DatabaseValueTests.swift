@testable import CofferCore
import Foundation
import Testing

@Suite struct DatabaseValueTests {
  @Test func `each storage class is read and bound as it is`() throws {
    for (sql, storage, type) in [
      ("NULL", DatabaseValue.Storage.null, "null"), ("1", .int64(1), "integer"),
      ("-9223372036854775808", .int64(.min), "integer"), ("1.0", .double(1), "real"),
      ("'a'", .string("a"), "text"), ("''", .string(""), "text"),
      ("x'00ff'", .blob(Data([0, 255])), "blob"), ("x''", .blob(Data()), "blob"),
    ] {
      let value = try databaseValue(sql)
      #expect(value.storage == storage, "\(sql)")
      #expect(try live(DatabaseValue.self, sql)?.storage == storage, "\(sql)")
      let found = try bound(value)
      #expect(found.value.storage == storage, "\(sql)")
      #expect(found.type == type, "\(sql)")
      #expect(value.isNull == (sql == "NULL"))
      #expect(DatabaseValue.fromDatabaseValue(value)?.storage == storage)
    }
  }

  @Test func `equal numbers are equal whatever their class, and hash alike`() {
    let pairs: [(DatabaseValue, DatabaseValue)] = [
      (1.databaseValue, 1.0.databaseValue),
      (0.databaseValue, (-0.0).databaseValue),
      (Int64.min.databaseValue, (-0x1p63).databaseValue),
      ((1 << 53).databaseValue, 0x1p53.databaseValue),
    ]
    for (integer, real) in pairs {
      #expect(integer == real)
      #expect(real == integer)
      #expect(integer.hashValue == real.hashValue)
      #expect(integer.storage != real.storage)
      #expect(Set([integer, real]).count == 1)
    }
  }

  @Test func `numbers that only round to each other differ`() {
    #expect(((1 << 53) + 1).databaseValue != 0x1p53.databaseValue)
    #expect(Int64.max.databaseValue != 0x1p63.databaseValue)
    #expect(1.databaseValue != 1.5.databaseValue)
    #expect(1.databaseValue != Double.infinity.databaseValue)
    #expect(0.databaseValue != Double.nan.databaseValue)
  }

  @Test func `texts are equal when their bytes are`() {
    let composed = "\u{E9}".databaseValue
    let decomposed = "e\u{301}".databaseValue
    #expect("\u{E9}" == "e\u{301}")
    #expect(composed != decomposed)
    #expect(composed.storage != decomposed.storage)
    #expect(Set([composed, decomposed]).count == 2)
    #expect("a".databaseValue == "a".databaseValue)
    #expect("a".databaseValue.hashValue == "a".databaseValue.hashValue)
    #expect("a".databaseValue != "a\0".databaseValue)
  }

  @Test func `values of different classes differ`() {
    let values: [DatabaseValue] = [
      .null, 0.databaseValue, "".databaseValue, "0".databaseValue, Data().databaseValue,
      Data("0".utf8).databaseValue,
    ]
    for (i, lhs) in values.enumerated() {
      for (j, rhs) in values.enumerated() {
        #expect((lhs == rhs) == (i == j), "\(lhs) \(rhs)")
      }
    }
    #expect(Set(values).count == values.count)
  }

  @Test func `blobs are equal when their bytes are`() {
    #expect(Data([0, 1, 2])[1...].databaseValue == Data([1, 2]).databaseValue)
    #expect(
      Data([0, 1, 2])[1...].databaseValue.hashValue == Data([1, 2]).databaseValue.hashValue)
    #expect(Data([1]).databaseValue != Data([2]).databaseValue)
  }

  @Test func `descriptions read like literals`() {
    #expect(DatabaseValue.null.description == "NULL")
    #expect(1.databaseValue.description == "1")
    #expect(1.5.databaseValue.description == "1.5")
    #expect("Brien \"x\"\n".databaseValue.description == #""Brien \"x\"\n""#)
    #expect(Data([1, 2, 3]).databaseValue.description == "Data(3 bytes)")
  }

  @Test func `any convertible value makes a database value`() {
    #expect(DatabaseValue(value: 1 as Any)?.storage == .int64(1))
    #expect(DatabaseValue(value: "a" as Any)?.storage == .string("a"))
    #expect(DatabaseValue(value: Int?.some(2) as Any)?.storage == .int64(2))
    #expect(DatabaseValue(value: Int?.none as Any)?.storage == .null)
    #expect(DatabaseValue(value: NSNull())?.storage == .null)
    #expect(DatabaseValue(value: DatabaseValue.null)?.storage == .null)
    struct Other {}
    #expect(DatabaseValue(value: Other()) == nil)
  }

  @Test func `a storage gives its Swift value`() {
    #expect(DatabaseValue.Storage.null.value == nil)
    #expect(DatabaseValue.Storage.int64(1).value as? Int64 == 1)
    #expect(DatabaseValue.Storage.double(1.5).value as? Double == 1.5)
    #expect(DatabaseValue.Storage.string("a").value as? String == "a")
    #expect(DatabaseValue.Storage.blob(Data([1])).value as? Data == Data([1]))
  }

  @Test func `NSNull is stored as NULL and never read`() {
    #expect(NSNull().databaseValue.isNull)
    #expect(NSNull.fromDatabaseValue(.null) == nil)
  }
}

@Suite struct OptionalTests {
  @Test func `nil is NULL`() throws {
    #expect(Optional<Int>.none.databaseValue.isNull)
    #expect(try bound(String?.none).value.isNull)
    #expect(try bound(String?.some("a")).value.storage == .string("a"))
    #expect(Int?.some(1).databaseValue.storage == .int64(1))
  }

  @Test func `NULL is a nil that was found`() throws {
    #expect(try live(Int?.self, "NULL") == .some(.none))
    #expect(try live(Bool?.self, "NULL") == .some(.none))
    #expect(try live(Double?.self, "NULL") == .some(.none))
    #expect(try live(String?.self, "NULL") == .some(.none))
    #expect(try live(Data?.self, "NULL") == .some(.none))
    #expect(try live(Date?.self, "NULL") == .some(.none))
    #expect(try live(UUID?.self, "NULL") == .some(.none))
    #expect(try live(Decimal?.self, "NULL") == .some(.none))
    #expect(try stored(Int?.self, "NULL") == .some(.none))
    #expect(Int?.fromMissingColumn() == .some(.none))
    #expect(Int.fromMissingColumn() == nil)
  }

  @Test func `a value that can't be converted isn't nil`() throws {
    #expect(try live(UInt8?.self, "256") == .none)
    #expect(try stored(UInt8?.self, "256") == .none)
    #expect(try stored(Int?.self, "'a'") == .none)
    #expect(try live(Date?.self, "'a'") == .none)
    #expect(try live(UUID?.self, "'a'") == .none)
  }

  @Test func `zero isn't NULL`() throws {
    #expect(try live(Int?.self, "0") == .some(.some(0)))
    #expect(try live(Double?.self, "0.0") == .some(.some(0)))
    #expect(try live(Bool?.self, "0") == .some(.some(false)))
    #expect(try live(String?.self, "''") == .some(.some("")))
  }

  @Test func `NULL is a database value`() throws {
    #expect(try live(DatabaseValue.self, "NULL") == .some(.null))
    #expect(try live(DatabaseValue?.self, "NULL") == .some(.some(.null)))
  }
}
