import Coffer
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Testing

/// Trees of records that are decoded from joined and prefetched rows.
@Suite struct AssociatedRecordTests {
  private struct Country: Codable, FetchableRecord, PersistableRecord, Hashable {
    var code: String
    var name: String

    static let passports = hasMany(Passport.self)
    static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
    static let profile = hasOne(Profile.self)
  }

  private struct Profile: Codable, FetchableRecord, PersistableRecord, Hashable {
    var countryCode: String
    var area: Double
  }

  private struct Citizen: Codable, FetchableRecord, MutablePersistableRecord, Hashable {
    var id: Int64?
    var name: String
    var parentId: Int64?

    static let parent = belongsTo(Citizen.self, key: "parent")
    static let children = hasMany(Citizen.self, key: "children")
    static let countries = manyToMany(Country.self, through: Passport.self)

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  private struct Passport: Codable, FetchableRecord, PersistableRecord, Hashable {
    var countryCode: String
    var citizenId: Int64
    var issued: Int

    static let country = belongsTo(Country.self)
    static let citizen = belongsTo(Citizen.self)
  }

  private static let schema = """
    CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE profile (countryCode TEXT PRIMARY KEY REFERENCES country, area REAL);
    CREATE TABLE citizen (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, parentId INTEGER REFERENCES citizen);
    CREATE TABLE passport (
      countryCode TEXT REFERENCES country, citizenId INTEGER REFERENCES citizen, issued INTEGER,
      PRIMARY KEY (countryCode, citizenId)) WITHOUT ROWID;
    INSERT INTO country VALUES ('FR', 'France'), ('PT', 'Portugal'), ('AQ', 'Antarctica');
    INSERT INTO profile VALUES ('FR', 551.7), ('PT', 92.2);
    INSERT INTO citizen VALUES (1, 'Amália', NULL), (2, 'Édith', NULL), (3, 'Linda', 1);
    INSERT INTO passport VALUES ('PT', 1, 1960), ('FR', 2, 1950), ('FR', 3, 1995), ('PT', 3, 1990);
    """

  private let database: EncryptedQueue

  init() throws { database = try EncryptedQueue(Self.schema) }

  private func use<T>(_ body: (Database) throws -> T) throws -> T {
    try database.queue.write(body)
  }

  @Test func `trees are decoded in one go`() throws {
    struct Info: Codable, FetchableRecord, Hashable {
      var country: Country
      var profile: Profile?
      var citizens: Set<Citizen>
    }
    try use { db throws in
      let request = Country.including(optional: Country.profile)
        .including(all: Country.citizens).order(Column("code"))
      let infos = try Info.fetchAll(db, request)
      #expect(infos.map(\.country.code) == ["AQ", "FR", "PT"])
      #expect(infos.map(\.profile?.area) == [nil, 551.7, 92.2])
      #expect(
        infos.map { Set($0.citizens.map(\.name)) } == [
          [], ["Édith", "Linda"], ["Amália", "Linda"],
        ])
      #expect(try Info.fetchSet(db, request).count == 3)
      #expect(try request.asRequest(of: Info.self).fetchOne(db)?.country.code == "AQ")
    }
  }

  @Test func `a table is associated with itself`() throws {
    struct Family: Decodable, FetchableRecord {
      var citizen: Citizen
      var parent: Citizen?
      var children: [Citizen]
    }
    try use { db throws in
      let request = Citizen.including(optional: Citizen.parent)
        .including(all: Citizen.children).orderByPrimaryKey()
      let families = try Family.fetchAll(db, request)
      #expect(families.map(\.parent?.name) == [nil, nil, "Amália"])
      #expect(families.map { $0.children.map(\.name) } == [["Linda"], [], []])
      let parent = TableAlias()
      let named = Citizen.joining(required: Citizen.parent.aliased(parent))
        .filter(parent["name"] == "Amália")
      #expect(try named.fetchAll(db).map(\.name) == ["Linda"])
    }
  }

  @Test func `trees nest as deep as types do`() throws {
    struct CitizenInfo: Decodable {
      var name: String
      var passports: [PassportInfo]?
    }
    struct PassportInfo: Decodable {
      var issued: Int
      var country: Country
      var citizen: CitizenInfo?
    }
    struct CountryInfo: Decodable, FetchableRecord {
      var name: String
      var passports: [PassportInfo]
    }
    let passports = Table<Citizen>("citizen").hasMany(Passport.self)
    try use { db throws in
      let request = Country.including(
        all: Country.passports
          .including(required: Passport.country)
          .including(
            required: Passport.citizen.including(
              all: passports.including(required: Passport.country).order(Column("issued")))
          )
          .order(Column("issued"))
      ).filter(key: "FR")
      let info = try #require(try CountryInfo.fetchOne(db, request))
      #expect(info.passports.map(\.issued) == [1950, 1995])
      #expect(info.passports.map(\.country.name) == ["France", "France"])
      #expect(
        info.passports.map { $0.citizen?.passports?.map(\.country.code) }
          == [["FR"], ["PT", "FR"]])
    }
  }

  @Test func `many to many is one line on either side`() throws {
    try use { db throws in
      let linda = try #require(try Citizen.fetchOne(db, key: 3))
      let countries = try linda.request(for: Citizen.countries).order(Column("code")).fetchAll(db)
      #expect(countries.map(\.code) == ["FR", "PT"])
      let request = Citizen.annotated(with: Citizen.countries.count).orderByPrimaryKey()
      #expect(try Row.fetchAll(db, request).map { $0["countryCount"] as Int } == [1, 1, 2])
    }
  }

  @Test func `records lead to their associated ones`() throws {
    try use { db throws in
      let france = try #require(try Country.fetchOne(db, key: "FR"))
      #expect(try france.request(for: Country.profile).fetchOne(db)?.area == 551.7)
      let citizens = france.request(for: Country.citizens)
      #expect(try citizens.filter(Column("id") > 2).fetchAll(db).map(\.name) == ["Linda"])
      #expect(try citizens.fetchCount(db) == 2)
      let passport = try #require(
        try Passport.fetchOne(db, key: ["citizenId": 3, "countryCode": "PT"]))
      #expect(try passport.request(for: Passport.citizen).fetchOne(db)?.name == "Linda")
      let orphan = Citizen(id: 9, name: "Nobody", parentId: nil)
      #expect(try orphan.request(for: Citizen.parent).fetchAll(db).isEmpty)
    }
  }

  @Test func `a key of several columns leads nowhere where one of them is nil`() throws {
    struct Parent: Codable, TableRecord, EncodableRecord {
      static let children = hasMany(
        Child.self, using: ForeignKey(["a", "b"], to: ["a", "b"]))
      var a: Int?
      var b: Int?
    }
    struct Child: TableRecord {}
    let database = try RequestDatabase(
      "CREATE TABLE parent (a INT, b INT); CREATE TABLE child (a INT, b INT)")
    #expect(
      try database.sql(Parent(a: 1, b: 2).request(for: Parent.children))
        == #"SELECT * FROM "child" WHERE ("a" = 1) AND ("b" = 2)"#)
    for parent in [Parent(a: 1), Parent(b: 2), Parent()] {
      #expect(
        try database.sql(parent.request(for: Parent.children)) == #"SELECT * FROM "child" WHERE 0"#)
    }
  }

  @Test func `a record that doesn't encode the key is an error`() throws {
    struct Named: Codable, TableRecord, EncodableRecord {
      static let databaseTableName = "citizen"
      static let children = hasMany(Citizen.self)
      var name: String
    }
    try use { db throws in
      let error = databaseError {
        try Named(name: "Linda").request(for: Named.children).fetchAll(db)
      }
      #expect(error?.message?.contains(#"doesn't encode column "id""#) == true)
    }
  }

  @Test func `the latest row of each record is joined`() throws {
    struct Latest: Decodable, FetchableRecord {
      var country: Country
      var latestPassport: Passport?
    }
    let latest = Country.passports.first { $0.issued.desc }.forKey("latestPassport")
    try use { db throws in
      let request = Country.including(optional: latest).order(Column("code"))
      let infos = try Latest.fetchAll(db, request)
      #expect(infos.map(\.latestPassport?.issued) == [nil, 1995, 1990])
      let portugal = try #require(try Country.fetchOne(db, key: "PT"))
      #expect(try portugal.request(for: latest).fetchOne(db)?.citizenId == 3)
    }
  }

  @Test func `a tree without what it needs is an error that names it`() throws {
    struct Info: Decodable, FetchableRecord {
      var citizens: [Citizen]
    }
    struct Joined: Decodable, FetchableRecord {
      var profile: Profile
    }
    try use { db throws in
      var error = #expect(throws: RowDecodingError.self) { try Info.fetchAll(db, Country.all()) }
      #expect(error.map { "\($0)".contains("citizens") } == true)
      error = #expect(throws: RowDecodingError.self) {
        try Joined.fetchAll(db, Country.including(optional: Country.profile))
      }
      #expect(error.map { "\($0)".contains("profile") } == true)
    }
  }

  @Test func `names of keys are singular and plural`() {
    let pairs = [
      ("player", "players"), ("child", "children"), ("country", "countries"), ("box", "boxes"),
      ("person", "people"), ("status", "statuses"), ("alias", "aliases"), ("cache", "caches"),
      ("database", "databases"), ("address", "addresses"), ("analysis", "analyses"),
      ("movie", "movies"), ("quiz", "quizzes"), ("news", "news"), ("day", "days"),
      ("teamMember", "teamMembers"), ("salesPerson", "salesPeople"), ("house", "houses"),
      ("leaf", "leaves"), ("hero", "heroes"), ("photo", "photos"), ("series", "series"),
    ]
    for (singular, plural) in pairs {
      #expect(Plural.of(singular) == plural)
      #expect(Plural.singular(of: plural) == singular)
      #expect(Plural.singular(of: singular) == singular)
      #expect(Plural.of(plural) == plural)
    }
  }
}
