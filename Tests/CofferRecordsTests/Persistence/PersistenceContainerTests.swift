import Coffer
import Testing

@testable import CofferRecords

@Suite struct PersistenceContainerTests {
  @Test func `columns keep their first order, and count in either case`() {
    var container = PersistenceContainer()
    container["id"] = 1
    container[Column("name")] = "a"
    container["ID"] = 2
    container["none"] = nil
    #expect(container.map(\.0) == ["id", "name", "none"])
    #expect(container.map(\.1) == [2.databaseValue, "a".databaseValue, .null])
    #expect(container.count == 3)
    #expect(container["Id"]?.databaseValue == 2.databaseValue)
    #expect(container["unknown"] == nil)
    #expect(container["none"] == nil)
    let name: String? = container[Column("NAME")]
    #expect(name == "a")
    let number: Int? = container["name"]
    #expect(number == nil)
  }

  @Test func `values of any type are taken`() {
    enum Kind: String, DatabaseValueConvertible { case small }
    var container = PersistenceContainer()
    let value: any DatabaseValueConvertible = 5
    let optional: (any DatabaseValueConvertible)? = value
    let nested: Int?? = .some(nil)
    container["a"] = value
    container["b"] = optional
    container["c"] = Kind.small
    container["d"] = nested
    container["e"] = [UInt8(1)].isEmpty ? nil : 1.5
    container["f"] = DatabaseValue.null
    #expect(
      container.map(\.1) == [
        5.databaseValue, 5.databaseValue, "small".databaseValue, .null, 1.5.databaseValue, .null,
      ])
  }
}
