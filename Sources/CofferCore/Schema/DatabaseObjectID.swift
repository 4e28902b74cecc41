import CofferVault

/// A schema of a connection: the main, the temporary or an attached database.
public struct DatabaseSchemaID: Hashable, Sendable {
  private enum Kind: Hashable, Sendable {
    case main, temp
    case attached(SQLName)
  }

  private let kind: Kind

  /// The main database.
  public static let main = DatabaseSchemaID(kind: .main)

  /// The temporary tables, views and triggers of one connection.
  public static let temp = DatabaseSchemaID(kind: .temp)

  /// Returns the identifier of a database attached under this name.
  public static func attached(_ name: String) -> DatabaseSchemaID {
    DatabaseSchemaID(kind: .attached(SQLName(name)))
  }

  /// Creates an identifier from a schema's name, regardless of case.
  package init(name: String) {
    switch SQLName(name) {
    case SQLName("main"): kind = .main
    case SQLName("temp"): kind = .temp
    case let name: kind = .attached(name)
    }
  }

  private init(kind: Kind) { self.kind = kind }

  /// The schema's name, which can precede a table's name in SQL; not quoted.
  public var name: String {
    switch kind {
    case .main: "main"
    case .temp: "temp"
    case .attached(let name): name.text
    }
  }

  /// The table in which SQLite stores the schema, as written in SQL.
  public var schemaTableName: String {
    switch kind {
    case .main: "sqlite_master"
    case .temp: "sqlite_temp_master"
    case .attached(let name):
      (name.text.isPlainIdentifier ? name.text : name.text.quotedDatabaseIdentifier)
        + ".sqlite_master"
    }
  }
}

/// The name of a table, a view, an index or a trigger, with its schema.
public struct DatabaseObjectID: Hashable, Sendable {
  /// The name.
  public var name: String
  /// The schema of the object.
  public var schemaID: DatabaseSchemaID

  /// Creates an identifier for the object of this name in a schema.
  public init(name: String, schemaID: DatabaseSchemaID) {
    self.name = name
    self.schemaID = schemaID
  }
}

extension String {
  /// Whether the string is a name of ASCII letters, digits and underscores.
  fileprivate var isPlainIdentifier: Bool {
    guard let first = utf8.first, !(0x30...0x39).contains(first) else { return false }
    return utf8.allSatisfy {
      $0 == UInt8(ascii: "_") || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF)
    }
  }
}
