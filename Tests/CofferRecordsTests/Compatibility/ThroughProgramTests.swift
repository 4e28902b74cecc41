import Coffer
import CofferTestSupport
import Testing

/// Associations through others: joined, prefetched, and from one record.
@Suite struct ThroughProgramTests {
  private struct Parent: TableRecord, EncodableRecord {
    static let children = hasMany(Child.self)
    func encode(to container: inout PersistenceContainer) { container["id"] = 1 }
  }
  private struct Child: TableRecord {
    static let parent = belongsTo(Parent.self)
    static let toy = hasOne(Toy.self)
    static let pets = hasMany(Pet.self)
    static let siblings = hasMany(
      Child.self, through: parent, using: Parent.children, key: "siblings")
  }
  private struct Toy: TableRecord {}
  private struct Pet: TableRecord { static let child = belongsTo(Child.self) }

  private static let schema = """
    PRAGMA foreign_keys = OFF;
    CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE child (parentId INTEGER REFERENCES parent);
    CREATE TABLE toy (childId INTEGER REFERENCES child);
    CREATE TABLE pet (childId INTEGER REFERENCES child);
    INSERT INTO parent VALUES (1, 'a'), (2, 'b');
    INSERT INTO child VALUES (1), (2), (NULL), (1);
    """

  private func sql(_ request: some FetchRequest) throws -> String {
    try RequestDatabase(Self.schema).sql(request)
  }

  @Test func `intermediate associations may be joined, filtered, and joined again`() throws {
    let toyOwners = Parent.hasMany(
      Pet.self, through: Parent.children.joining(required: Child.toy), using: Child.pets)
    try #expect(
      sql(Parent.including(required: toyOwners)) == """
        SELECT "parent".*, "pet".* FROM "parent" \
        JOIN "child" ON "child"."parentId" = "parent"."id" \
        JOIN "toy" ON "toy"."childId" = "child"."rowid" \
        JOIN "pet" ON "pet"."childId" = "child"."rowid"
        """)
    try #expect(
      sql(Parent().request(for: toyOwners)) == """
        SELECT "pet".* FROM "pet" \
        JOIN "child" ON ("child"."rowid" = "pet"."childId") AND ("child"."parentId" = 1) \
        JOIN "toy" ON "toy"."childId" = "child"."rowid"
        """)
    let filtered = Parent.hasMany(
      Pet.self, through: Parent.children.filter(sql: "1 + 1"),
      using: Child.pets.joining(
        required: Pet.child.filter(sql: "1").joining(required: Child.toy)))
    try #expect(
      sql(Parent.joining(required: filtered)) == """
        SELECT "parent".* FROM "parent" \
        JOIN "child" "child1" ON ("child1"."parentId" = "parent"."id") AND (1 + 1) \
        JOIN "pet" ON "pet"."childId" = "child1"."rowid" \
        JOIN "child" "child2" ON ("child2"."rowid" = "pet"."childId") AND (1) \
        JOIN "toy" ON "toy"."childId" = "child2"."rowid"
        """)
    try #expect(
      sql(Parent().request(for: filtered)) == """
        SELECT "pet".* FROM "pet" \
        JOIN "child" "child1" ON ("child1"."rowid" = "pet"."childId") AND (1) \
        JOIN "toy" ON "toy"."childId" = "child1"."rowid" \
        JOIN "child" "child2" ON ("child2"."rowid" = "pet"."childId") AND (1 + 1) \
        AND ("child2"."parentId" = 1)
        """)
  }

  @Test func `the joins of an association and of one through it are one`() throws {
    func check<Near: Association, Far: Association>(_ near: Near, _ far: Far) throws
    where Near.OriginRowDecoder == Parent, Far.OriginRowDecoder == Parent {
      for (isFarRequired, isNearRequired) in [(true, false), (false, true), (false, false)] {
        let joined =
          isFarRequired
          ? Parent.including(required: far) : Parent.including(optional: far)
        let both =
          isNearRequired ? joined.joining(required: near) : joined.including(optional: near)
        let first = isFarRequired || isNearRequired ? "JOIN" : "LEFT JOIN"
        let second = isFarRequired ? "JOIN" : "LEFT JOIN"
        let selection = isNearRequired ? "" : #""child".*, "#
        try #expect(
          sql(both) == """
            SELECT "parent".*, \(selection)"pet".* FROM "parent" \
            \(first) "child" ON "child"."parentId" = "parent"."id" \
            \(second) "pet" ON "pet"."childId" = "child"."rowid"
            """)
      }
    }
    try check(
      Parent.children,
      Parent.hasMany(Pet.self, through: Parent.children, using: Child.pets))
  }

  @Test func `prefetched rows have the key that they were found by`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let siblings = try Row.fetchAll(db, Child.including(all: Child.siblings).order(Column.rowID))
      #expect(siblings.map { $0.prefetchedRows["siblings"]?.count } == [2, 1, 0, 2])
      #expect(siblings[1].prefetchedRows["siblings"] == [["parentId": 2, "grdb_id": 2]])
      let nested = Child.including(optional: Child.parent.including(all: Parent.children))
        .order(Column.rowID)
      let rows = try Row.fetchAll(db, nested)
      #expect(rows.map { $0.prefetchedRows["children"]?.count } == [2, 1, 0, 2])
      #expect(rows.map(\.prefetchedRows.keys) == Array(repeating: ["children"], count: 4))
      #expect(rows[2].scopes["parent"].map { $0["id"] as Int? } == .some(nil))
      #expect(
        rows[0].debugDescription == """
          ▿ [parentId:1]
            unadapted: [parentId:1 id:1 name:"a"]
            - parent: [id:1 name:"a"]
              + children: 2 rows
            + children: 2 rows
          """)
    }
  }
}
