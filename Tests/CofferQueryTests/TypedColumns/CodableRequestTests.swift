import Coffer
import CofferTestSupport
import Testing

@Suite struct CodableRequestTests {
  private struct Reader: Codable {
    var id: Int64
    var fullName: String
    var age: Int?

    enum CodingKeys: String, CodingKey {
      case id
      case fullName = "name"
      case age
    }
  }

  private let readers = Table<Reader>("readers")

  @Test func `a type needs no more than its coding keys`() throws {
    let request = readers.filter { $0.age >= 40 && $0.fullName.hasPrefix("A") }
      .order { $0.fullName.desc }
    #expect(
      try RequestDatabase().sql(request) == """
        SELECT * FROM "readers" WHERE ("age" >= 40) AND ("name" GLOB 'A*') ORDER BY "name" DESC
        """)
    try RequestDatabase().use { db throws in
      let names: [String] = try request.select { $0.fullName }.fetchAll(db)
      #expect(names == ["Arthur"])
      #expect(try readers.select { $0.age }.order(Column("id")).fetchAll(db) == [42, 36, nil])
      #expect(try readers.all().order { [$0.age, $0.id] }.fetchCount(db) == 3)
      let oldest = try readers.all().group { $0.id }.having { max($0.age) > 40 }.fetchCount(db)
      #expect(oldest == 1)
      #expect(try readers.filter { $0.age == nil }.updateAll(db) { [$0.age.set(to: 1)] } == 1)
    }
  }
}
