import Coffer
import CofferTestSupport
import Testing

/// Prefetched rows, which are decoded from one object that shows row after row.
@Suite struct PrefetchedListTests {
  private struct Parent: TableRecord {
    static let children = hasMany(Child.self, using: ForeignKey(["parentId"]))
  }

  private struct Child: TableRecord {
    static let team = belongsTo(Team.self, using: ForeignKey(["teamId"]))
  }

  private struct Team: TableRecord, Codable, Equatable, FetchableRecord {
    var id: Int, title: String
  }

  private let database: RequestDatabase

  /// Twenty parents with three children each, whose rows alternate; 1.5 and 'three' are keys of
  /// nobody.
  init() throws {
    var schema = """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE team (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE child (id INTEGER PRIMARY KEY, parentId INT, teamId INT, name TEXT);
      INSERT INTO team VALUES (1, 'red'), (2, 'blue');
      INSERT INTO child VALUES (1000, 1.5, 1, 'half'), (1001, 'three', 1, 'text'), (1002, NULL, 1, 'none'),
        (1003, 21, 1, 'after'), (1004, 0, 1, 'before');
      """
    for parent in 1...20 { schema += "INSERT INTO parent VALUES (\(parent));" }
    for round in 0..<3 {
      for parent in 1...20 {
        let id = round * 100 + parent
        let name = "the name of child \(id), on the heap"
        schema += "INSERT INTO child VALUES (\(id), \(parent), \(Self.team(id)), '\(name)');"
      }
    }
    database = try RequestDatabase(schema)
  }

  private static func ids(of parent: Int) -> [Int] { [parent, 100 + parent, 200 + parent] }

  /// Of a parent's children, one or two have team 2.
  private static func team(_ id: Int) -> Int { (id + id / 100) % 2 + 1 }

  private static func name(_ id: Int) -> String { "the name of child \(id), on the heap" }

  private static let request = Parent.including(all: Parent.children).orderByPrimaryKey()

  // MARK: Which rows

  @Test func `keys without a gap are a range, and others in it have no parent`() throws {
    let (rows, queries) = try database.run { db in try Row.fetchAll(db, Self.request) }
    #expect(queries[1].hasSuffix(#"WHERE "parentId" BETWEEN 1 AND 20"#))
    #expect(rows.count == 20)
    for row in rows {
      let ids = row.prefetchedRows["children"]?.map { $0["id"] as Int }
      #expect(ids == Self.ids(of: row["id"]))
    }
  }

  @Test func `keys with a gap are a list`() throws {
    let request = Self.request.filter(Column("id") != 7)
    let (rows, queries) = try database.run { db in try Row.fetchAll(db, request) }
    #expect(queries[1].contains(#""parentId" IN ("#))
    #expect(rows.count == 19)
    for row in rows {
      let ids = row.prefetchedRows["children"]?.map { $0["id"] as Int }
      #expect(ids == Self.ids(of: row["id"]))
    }
  }

  // MARK: Records

  private struct RowKeeper: FetchableRecord {
    let row: Row

    init(row: Row) { self.row = row }
  }

  private struct Keepers: FetchableRecord {
    let id: Int
    let children: [RowKeeper]

    init(row: Row) {
      id = row["id"]
      children = row["children"]
    }
  }

  @Test func `a row that a record keeps stays as it was`() throws {
    let (parents, _) = try database.run { db in try Keepers.fetchAll(db, Self.request) }
    #expect(parents.count == 20)
    for parent in parents {
      #expect(parent.children.map { $0.row["id"] as Int } == Self.ids(of: parent.id))
      #expect(
        parent.children.map { $0.row["name"] as String } == Self.ids(of: parent.id).map(Self.name))
    }
    let objects = Set(parents.flatMap(\.children).map { ObjectIdentifier($0.row) })
    #expect(objects.count == 60)
  }

  private struct Full: Codable, FetchableRecord, Equatable {
    var id: Int, parentId: Int, name: String
  }

  private struct Named: Codable, FetchableRecord, Hashable {
    var name: String
  }

  private struct Numbered: Codable, FetchableRecord, Equatable {
    var id: Int
    /// It fails for some.
    var team: Positive

    enum CodingKeys: String, CodingKey {
      case id
      case team = "teamId"
    }
  }

  private struct Positive: Codable, Equatable {
    var value: Int

    init(from decoder: any Decoder) throws {
      value = try decoder.singleValueContainer().decode(Int.self)
      if value == 2 {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: [], debugDescription: "two"))
      }
    }
  }

  @Test func `several types are decoded from the same rows in turn`() throws {
    let (rows, _) = try database.run { db in try Row.fetchAll(db, Self.request) }
    for row in rows {
      let ids = Self.ids(of: row["id"])
      for _ in 0..<2 {
        #expect(
          row["children"] as [Full]
            == ids.map { Full(id: $0, parentId: row["id"], name: Self.name($0)) })
        #expect(row["children"] as [Named] == ids.map { Named(name: Self.name($0)) })
        #expect(row["children"] as Set<Named> == Set(ids.map { Named(name: Self.name($0)) }))
        #expect(throws: (any Error).self) {
          try row.decode([Numbered].self, forKey: "children")
        }
      }
    }
  }

  // MARK: Codable

  private struct Member: Decodable, Equatable {
    var id: Int, name: String, team: Team
  }

  private struct Members: Decodable, FetchableRecord {
    var id: Int
    var children: [Member]
  }

  private struct Wrapped: Decodable, FetchableRecord {
    struct List: Decodable {
      enum Key: CodingKey { case name }

      var names: [String] = []

      init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        while !list.isAtEnd {
          let parts = try list.superDecoder().container(keyedBy: Key.self)
          names.append(try parts.decode(String.self, forKey: .name))
        }
      }
    }

    var id: Int
    var children: List
  }

  @Test func `lists of rows with scopes, and own lists, are decoded`() throws {
    let request = Parent.including(all: Parent.children.including(required: Child.team))
      .orderByPrimaryKey()
    let (parents, _) = try database.run { db in try Members.fetchAll(db, request) }
    #expect(parents.count == 20)
    for parent in parents {
      #expect(
        parent.children
          == Self.ids(of: parent.id).map { id in
            Member(
              id: id, name: Self.name(id),
              team: Team(id: Self.team(id), title: Self.team(id) == 1 ? "red" : "blue"))
          })
    }
    let (wrapped, _) = try database.run { db in try Wrapped.fetchAll(db, Self.request) }
    #expect(wrapped.count == 20)
    for parent in wrapped {
      #expect(parent.children.names == Self.ids(of: parent.id).map(Self.name))
    }
  }
}
