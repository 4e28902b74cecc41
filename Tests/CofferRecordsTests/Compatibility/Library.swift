import Coffer

/// A library as applications declare one, with columns, associations and custom requests.
enum Library {
  struct Author: Codable, Identifiable, Hashable {
    var id: Int64?
    var name: String
    var country: String?
  }

  struct Book: Codable, Identifiable, Hashable, FetchableRecord, PersistableRecord {
    var id: Int64
    var authorId: Int64?
    var publisherId: Int64?
    var title: String
    var year: Int

    enum Columns {
      static let id = Column(CodingKeys.id)
      static let authorId = Column(CodingKeys.authorId)
      static let title = Column(CodingKeys.title)
      static let year = Column(CodingKeys.year)
    }

    enum ForeignKeys { static let publisher = ForeignKey(["publisherId"]) }

    static let author = belongsTo(Author.self)
    static let publisher = belongsTo(Publisher.self, using: ForeignKeys.publisher)
  }

  final class Publisher: Codable, FetchableRecord, PersistableRecord {
    let id: Int64
    let name: String

    init(id: Int64, name: String) { (self.id, self.name) = (id, name) }

    struct Columns {
      static let id = Column("id")
      static let name = Column("name")
    }

    static let books = hasMany(Book.self)
  }

  struct Prize: Codable, Hashable, FetchableRecord, TableRecord {
    var id: Int64
    var authorId: Int64
    var name: String
    static let databaseTableName = "award"
  }

  static let schema = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
    CREATE TABLE publisher (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE book (
      id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author,
      publisherId INTEGER REFERENCES publisher, title TEXT NOT NULL, year INTEGER NOT NULL);
    CREATE TABLE award (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, name TEXT);
    INSERT INTO author VALUES (1, 'Lessing', 'GB'), (2, 'Camus', 'FR'), (3, 'Sapho', NULL);
    INSERT INTO publisher VALUES (1, 'Gallimard'), (2, 'Joseph');
    INSERT INTO book VALUES
      (1, 1, 2, 'The Golden Notebook', 1962), (2, 1, NULL, 'Shikasta', 1979),
      (3, 2, 1, 'La Peste', 1947), (4, 2, 1, 'La Chute', 1956), (5, NULL, NULL, 'Edda', 1220);
    INSERT INTO award VALUES (1, 1, 'Nobel 2007'), (2, 2, 'Nobel 1957');
    """
}

extension Library.Author: FetchableRecord, MutablePersistableRecord {
  enum Columns {
    static let id = Column(CodingKeys.id)
    static let name = Column(CodingKeys.name)
    static let country = Column(CodingKeys.country)
  }

  static let books = hasMany(Library.Book.self)
  static let modernBooks = books.filter { $0.year > 1950 }.order(\.year.desc).forKey("modernBooks")
  static let publishers = hasMany(
    Library.Publisher.self, through: books, using: Library.Book.publisher)
  static let prize = hasOne(Library.Prize.self, key: "prize", using: ForeignKey(["authorId"]))

  var books: QueryInterfaceRequest<Library.Book> { request(for: Library.Author.books) }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension DerivableRequest<Library.Book> {
  func since(_ year: Int) -> Self { filter { $0.year >= year } }
  func orderedByTitle() -> Self { order { $0.title.collating(.nocase) } }
  func written(in country: String) -> Self {
    joining(required: Library.Book.author.of(country: country))
  }
}

extension DerivableRequest where RowDecoder == Library.Author {
  func of(country: String) -> Self { filter(Library.Author.Columns.country == country) }
}

extension DerivableRequest<Library.Author> {
  func names() -> Self { select { $0.name } }
  func namesAndCountries() -> Self { select { [$0.name, $0.country] } }
  func withCountry() -> Self { annotated { $0.country.forKey("home") } }
  func withCountries() -> Self {
    annotated { [$0.country.forKey("home"), $0.id.forKey("number")] }
  }
}
