import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

/// The migrations of the documents that the project starts from.
struct SeedMigrationTests {
  private static var initial: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("initial") { db in
      try db.create(table: "authors") { t in
        t.column("id", .integer).primaryKey()
        t.column("name", .text).notNull()
      }
      try db.create(table: "books") { t in
        t.column("id", .integer).primaryKey()
        t.column("authorId", .integer).notNull().references("authors")
        t.column("title", .text).notNull()
      }
    }
    return migrator
  }

  /// Renames the tables, and makes their keys anew.
  private static var renaming: DatabaseMigrator {
    var migrator = initial
    migrator.registerMigrationWithDeferredForeignKeyCheck("GRDB3") { db in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("authorId", .integer).notNull().references("author")
        t.column("title", .text).notNull()
      }
      try db.execute(
        sql: """
          INSERT INTO author SELECT * FROM authors;
          INSERT INTO book SELECT * FROM books;
          """)
      try db.drop(table: "authors")
      try db.drop(table: "books")
    }
    return migrator
  }

  /// A database after the first migration, with a book.
  private static func oldLibrary() throws -> EncryptedQueue {
    let database = try EncryptedQueue()
    try initial.migrate(database.queue)
    try database.queue.write { db in
      try db.execute(
        sql: """
          INSERT INTO authors VALUES (3, 'Herman Melville');
          INSERT INTO books VALUES (7, 3, 'Moby-Dick');
          """)
    }
    return database
  }

  @Test func `tables are renamed and their keys made anew, with all rows`() throws {
    let database = try Self.oldLibrary()
    try Self.renaming.migrate(database.queue)
    try database.queue.write { db in
      let books = try Row.fetchAll(
        db, sql: "SELECT book.*, name FROM book JOIN author ON author.id = authorId")
      #expect(books.map(\.values) == [values(7, 3, "Moby-Dick", "Herman Melville")])
      #expect(try !db.tableExists("authors"))
      #expect(try !db.tableExists("books"))
      #expect(try db.foreignKeys(on: "book").map(\.destinationTable) == ["author"])
      try db.execute(sql: "INSERT INTO author (name) VALUES ('Jane Austen')")
      #expect(db.lastInsertedRowID == 4)
      let error = databaseError {
        try db.execute(sql: "INSERT INTO book (authorId, title) VALUES (17, 'Emma')")
      }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    }
  }

  @Test func `a new database goes through both migrations`() throws {
    let database = try EncryptedQueue()
    try Self.renaming.migrate(database.queue)
    try database.queue.read { db throws in
      #expect(try Self.renaming.appliedMigrations(db) == ["initial", "GRDB3"])
      #expect(try db.tableExists("book"))
      #expect(try !db.tableExists("books"))
    }
  }

  @Test func `rows that refer to nothing end the second migration, and are kept`() throws {
    let database = try Self.oldLibrary()
    let loose = try database.other { $0.foreignKeysEnabled = false }
    try loose.write { try $0.execute(sql: "INSERT INTO books VALUES (8, 17, 'Emma')") }
    let error = databaseError { try Self.renaming.migrate(database.queue) }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    #expect(error?.message?.contains("from book(authorId) to author(id)") == true)
    #expect(error?.description.contains(#"The migration "GRDB3" was rolled back."#) == true)
    try database.queue.read { db throws in
      #expect(try Self.renaming.appliedMigrations(db) == ["initial"])
      #expect(try !db.tableExists("book"))
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM books ORDER BY id") == [7, 8])
    }
  }

  @Test func `the library's books are found by their author, and go with them`() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("createLibrary") { db in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("country", .text)
      }

      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("title", .text).notNull()
        t.column("authorId", .integer)
          .notNull()
          .indexed()
          .references("author", onDelete: .cascade)
      }
    }
    let database = try EncryptedQueue()
    try migrator.migrate(database.queue)
    try database.queue.write { db in
      #expect(try db.indexes(on: "book").map(\.columns) == [["authorId"]])
      try db.execute(
        sql: """
          INSERT INTO author (name) VALUES ('Herman Melville');
          INSERT INTO book (title, authorId) VALUES ('Moby-Dick', 1), ('Pierre', 1);
          """)
      let error = databaseError { try db.execute(sql: "INSERT INTO author (name) VALUES (NULL)") }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_NOTNULL)
      try db.execute(sql: "DELETE FROM author")
      #expect(try Table("book").fetchCount(db) == 0)
    }
  }
}
