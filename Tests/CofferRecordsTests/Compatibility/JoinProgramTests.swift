import Coffer
import CofferTestSupport
import Testing

/// The SQL of self-joins, aliases, orders and nested associations.
@Suite struct JoinProgramTests {
  private struct Node: TableRecord {
    static let parent = belongsTo(Node.self)
    static let child = hasOne(Node.self)
    static let first = belongsTo(Leaf.self, key: "first", using: ForeignKey(["firstId"]))
    static let second = belongsTo(Leaf.self, key: "second", using: ForeignKey(["secondId"]))
  }

  private struct Leaf: TableRecord {
    static let firstNode = hasOne(Node.self, key: "node", using: ForeignKey(["firstId"]))
    static let secondNode = hasOne(Node.self, key: "node", using: ForeignKey(["secondId"]))
  }

  private struct Band: TableRecord {
    static let seats = hasMany(Seat.self).order(Column("position"))
    static let players = hasMany(Player.self, through: seats, using: Seat.player)
    static let album = hasOne(Album.self)
    static let title = hasOne(AlbumTitle.self)
  }
  private struct Seat: TableRecord { static let player = belongsTo(Player.self) }
  private struct Player: TableRecord {}
  private struct Album: TableRecord { static let band = belongsTo(Band.self) }
  private struct AlbumTitle: TableRecord {
    static let databaseTableName = "album"
    static var databaseSelection: [any SQLSelectable] { [Column("title"), Column.rowID] }
  }
  private struct BandRow: Codable, TableRecord, EncodableRecord {
    static let databaseTableName = "band"
    static let players = hasMany(
      Player.self, through: hasMany(Seat.self).order(Column("position")), using: Seat.player)
    var id: Int64
  }

  private static let schema = """
    CREATE TABLE leaf (id INTEGER PRIMARY KEY);
    CREATE TABLE node (
      id INTEGER PRIMARY KEY, firstId INTEGER REFERENCES leaf, secondId INTEGER REFERENCES leaf,
      parentId INTEGER REFERENCES node, name TEXT);
    CREATE TABLE band (id INTEGER PRIMARY KEY);
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE seat (
      bandId INTEGER REFERENCES band, playerId INTEGER REFERENCES player, position INTEGER,
      PRIMARY KEY (bandId, playerId));
    CREATE TABLE album (id INTEGER PRIMARY KEY, bandId INTEGER REFERENCES band, title TEXT);
    INSERT INTO band VALUES (1), (2);
    INSERT INTO player VALUES (1, 'Zoe'), (2, 'Yan'), (3, 'Xu');
    INSERT INTO seat VALUES (1, 1, 2), (1, 2, 1), (2, 2, 2), (2, 3, 1);
    """

  private let database: RequestDatabase
  private let name = Column("name")

  init() throws { database = try RequestDatabase(Self.schema) }

  private func sql(_ request: some FetchRequest) throws -> String { try database.sql(request) }

  @Test func `a table that is joined with itself is numbered`() throws {
    try #expect(
      sql(Node.including(required: Node.parent)) == """
        SELECT "node1".*, "node2".* FROM "node" "node1" \
        JOIN "node" "node2" ON "node2"."id" = "node1"."parentId"
        """)
    try #expect(
      sql(Node.including(required: Node.child)) == """
        SELECT "node1".*, "node2".* FROM "node" "node1" \
        JOIN "node" "node2" ON "node2"."parentId" = "node1"."id"
        """)
    try #expect(
      sql(
        Node.including(required: Node.first.including(required: Leaf.secondNode))
          .including(required: Node.second.including(required: Leaf.firstNode))) == """
          SELECT "node1".*, "leaf1".*, "node2".*, "leaf2".*, "node3".* FROM "node" "node1" \
          JOIN "leaf" "leaf1" ON "leaf1"."id" = "node1"."firstId" \
          JOIN "node" "node2" ON "node2"."secondId" = "leaf1"."id" \
          JOIN "leaf" "leaf2" ON "leaf2"."id" = "node1"."secondId" \
          JOIN "node" "node3" ON "node3"."firstId" = "leaf2"."id"
          """)
  }

  @Test func `names that users give win over those that are found`() throws {
    for given in ["node", "NODE"] {
      try #expect(
        sql(Node.including(required: Node.first.aliased(TableAlias(name: given)))) == """
          SELECT "node1".*, "\(given)".* FROM "node" "node1" \
          JOIN "leaf" "\(given)" ON "\(given)"."id" = "node1"."firstId"
          """)
      let leaf = given == "node" ? "leaf" : "LEAF"
      try #expect(
        sql(Node.aliased(TableAlias(name: leaf)).including(required: Node.first)) == """
          SELECT "\(leaf)".*, "leaf1".* FROM "node" "\(leaf)" \
          JOIN "leaf" "leaf1" ON "leaf1"."id" = "\(leaf)"."firstId"
          """)
    }
  }

  @Test func `an association that is used again keeps its aliases`() throws {
    for (first, second) in [(nil, nil), ("up", nil), (nil, "up")] as [(String?, String?)] {
      let (one, two) = (TableAlias(name: first), TableAlias(name: second))
      let request = Node.joining(required: Node.parent.aliased(one)).filter(one[name] == "x")
        .joining(optional: Node.parent.aliased(two)).order(two[name])
        .including(optional: Node.parent)
      let (node, parent) = first ?? second == nil ? ("node1", "node2") : ("node", "up")
      let from = node == "node" ? #""node""# : #""node" "node1""#
      try #expect(
        sql(request) == """
          SELECT "\(node)".*, "\(parent)".* FROM \(from) \
          JOIN "node" "\(parent)" ON "\(parent)"."id" = "\(node)"."parentId" \
          WHERE "\(parent)"."name" = 'x' ORDER BY "\(parent)"."name"
          """)
    }
  }

  @Test func `conditions reach over all tables, whenever they are set`() throws {
    let (root, left, right) = (TableAlias(), TableAlias(), TableAlias())
    let condition = name != nil && root[name] > left[name] && right[name] == "x"
    func joined(_ request: QueryInterfaceRequest<Node>) -> QueryInterfaceRequest<Node> {
      request.including(
        required: Node.first.including(required: Leaf.secondNode.aliased(right))
      ).including(required: Node.second.including(required: Leaf.firstNode.aliased(left)))
    }
    let expected = """
       WHERE ("node1"."name" IS NOT NULL) AND ("node1"."name" > "node3"."name") \
      AND ("node2"."name" = 'x')
      """
    try #expect(sql(joined(Node.filter(condition).aliased(root))).hasSuffix(expected))
    try #expect(sql(joined(Node.aliased(root)).filter(condition)).hasSuffix(expected))
  }

  @Test func `orders follow each other, and turn around together`() throws {
    let (b, a, c) = (TableAlias(name: "b"), TableAlias(name: "a"), TableAlias(name: "c"))
    let album = Band.album.aliased(a), band = Album.band.aliased(c)
    let (id, title) = (Column("id"), Column("title"))
    func order(
      _ root: QueryInterfaceRequest<Band>, _ album: HasOneAssociation<Band, Album>,
      _ band: BelongsToAssociation<Album, Band>
    ) throws -> String {
      let text = try sql(
        root.aliased(b).including(required: album.including(required: band)))
      return text.components(separatedBy: #" ON "c"."id" = "a"."bandId""#).last ?? text
    }
    try #expect(order(Band.all(), album, band) == "")
    try #expect(order(Band.all(), album.reversed(), band.order(id)) == #" ORDER BY "c"."id" DESC"#)
    try #expect(
      order(Band.order(id), album.order(title).order(id.desc), band)
        == #" ORDER BY "b"."id", "a"."id" DESC"#)
    try #expect(
      order(Band.order(id), album.order(title).reversed(), band.order(id))
        == #" ORDER BY "b"."id", "a"."title" DESC, "c"."id" DESC"#)
    try #expect(
      order(Band.order(id).reversed(), album.order(title, id.desc), band.order(id).reversed())
        == #" ORDER BY "b"."id" DESC, "a"."title" DESC, "a"."id" ASC, "c"."id""#)
    try #expect(
      order(Band.all(), album.reversed(), band.order(id).reversed()) == #" ORDER BY "c"."id""#)
  }

  @Test func `keys and selections of a joined table are its own`() throws {
    let joined = #"JOIN "album" ON ("album"."bandId" = "band"."id") AND "#
    try #expect(
      sql(Band.joining(required: Band.album.filter(key: 1)))
        .hasSuffix(joined + #"("album"."id" = 1)"#))
    try #expect(
      sql(Band.joining(required: Band.album.filter(keys: [1, 2])))
        .hasSuffix(joined + #"("album"."id" IN (1, 2))"#))
    try #expect(
      sql(Band.joining(required: Band.album.filter(keys: [["id": 1], ["id": 2]])))
        .hasSuffix(joined + #"(("album"."id" = 1) OR ("album"."id" = 2))"#))
    try #expect(
      sql(Band.including(required: Band.title)) == """
        SELECT "band".*, "album"."title", "album"."rowid" FROM "band" \
        JOIN "album" ON "album"."bandId" = "band"."id"
        """)
    let root = TableAlias()
    try #expect(
      sql(
        Band.aliased(root).including(
          required: Band.album.select(
            Column("title"), (Column("id") + root[Column("id")]).forKey("sum")))) == """
          SELECT "band".*, "album"."title", "album"."id" + "band"."id" AS "sum" FROM "band" \
          JOIN "album" ON "album"."bandId" = "band"."id"
          """)
  }

  @Test func `the order of intermediate associations is kept`() throws {
    let players = BandRow(id: 2).request(for: BandRow.players)
    let joined = """
      SELECT "player".* FROM "player" \
      JOIN "seat" ON ("seat"."playerId" = "player"."id") AND ("seat"."bandId" = 2) ORDER BY
      """
    try #expect(sql(players) == joined + #" "seat"."position""#)
    try #expect(sql(players.order(name)) == joined + #" "player"."name", "seat"."position""#)
    let log = try RequestDatabase(Self.schema)
    let (rows, queries) = try log.run { db in
      try Row.fetchAll(db, Band.orderByPrimaryKey().including(all: Band.players))
    }
    #expect(
      rows.map { $0.prefetchedRows["players"]?.map { $0["name"] as String } }
        == [["Yan", "Zoe"], ["Xu", "Yan"]])
    #expect(
      queries == [
        #"SELECT * FROM "band" ORDER BY "id""#,
        """
        SELECT "player".*, "seat"."bandId" AS "grdb_bandId" FROM "player" \
        JOIN "seat" ON ("seat"."playerId" = "player"."id") AND ("seat"."bandId" IN (1, 2)) \
        ORDER BY "seat"."position"
        """,
      ])
  }

  @Test func `keys of several columns are prefetched`() throws {
    struct Parent: TableRecord { static let children = hasMany(Child.self) }
    struct Child: TableRecord {}
    let log = try RequestDatabase(
      """
      CREATE TABLE parent (a TEXT, b TEXT, PRIMARY KEY (a, b));
      CREATE TABLE child (a TEXT, b TEXT, name TEXT, FOREIGN KEY (a, b) REFERENCES parent);
      INSERT INTO parent VALUES ('foo', 'bar'), ('baz', 'qux');
      INSERT INTO child VALUES ('foo', 'bar', 'x'), ('foo', 'bar', 'y'), ('baz', 'qux', 'z');
      """)
    let (rows, queries) = try log.run { db in
      try Row.fetchAll(db, Parent.including(all: Parent.children).orderByPrimaryKey())
    }
    #expect(rows.map { $0.prefetchedRows["children"]?.count } == [1, 2])
    #expect(
      queries == [
        #"SELECT * FROM "parent" ORDER BY "a", "b""#,
        """
        SELECT *, "a" AS "grdb_a", "b" AS "grdb_b" FROM "child" \
        WHERE (("a" = 'baz') AND ("b" = 'qux')) OR (("a" = 'foo') AND ("b" = 'bar'))
        """,
      ])
    let (_, filtered) = try log.run { db in
      try Row.fetchAll(
        db,
        Parent.including(all: Parent.children.filter(Column("name") == "x"))
          .filter(Column("a") == "foo"))
    }
    #expect(
      filtered.last?.hasSuffix(#"WHERE ("name" = 'x') AND (("a" = 'foo') AND ("b" = 'bar'))"#)
        == true)
  }
}
