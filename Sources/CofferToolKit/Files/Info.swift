import Coffer

/// What is known about a file.
struct FileInfo {
  /// Names, texts for a person, and values as JSON.
  var facts: [(name: String, key: String, text: String, json: String)] = []

  mutating func add(_ name: String, _ key: String, _ number: Int, unit: String = "") {
    facts.append((name, key, Numbers.grouped(number) + unit, "\(number)"))
  }

  mutating func add(_ name: String, _ key: String, _ text: String) {
    facts.append((name, key, text, JSONRows.quoted(text)))
  }

  mutating func add(_ name: String, _ key: String, _ texts: [String]) {
    let text = texts.isEmpty ? "none" : texts.joined(separator: " ")
    facts.append((name, key, text, "[" + texts.map(JSONRows.quoted).joined(separator: ",") + "]"))
  }

  mutating func add(_ name: String, _ key: String, _ flag: Bool) {
    facts.append((name, key, flag ? "yes" : "no", flag ? "true" : "false"))
  }

  /// Adds what the file tells without a key.
  mutating func addInspection(_ inspection: DatabaseFile.Inspection) {
    let (kind, isEncrypted): (String, Bool) =
      switch inspection.kind {
      case .plaintext: ("plaintext", false)
      case .plaintextHeader: ("encrypted-plaintext-header", true)
      case .encryptedOrUnknown: ("encrypted", true)
      case .empty: ("empty", false)
      default: ("no-database", false)
      }
    add("Kind", "kind", kind)
    add("Encrypted", "encrypted", isEncrypted)
    add("Size", "size", inspection.size, unit: " bytes")
    add("Commits in the -wal file", "wal", inspection.hasWAL)
    add("Unfinished transaction", "journal", inspection.hasJournal)
    switch inspection.kind {
    case .plaintext(let header), .plaintextHeader(let header):
      add("Page size", "pageSize", header.pageSize, unit: " bytes")
      add("User version", "userVersion", header.userVersion)
      add("Application ID", "applicationID", header.applicationID)
    case .encryptedOrUnknown(let salt):
      add("Salt", "salt", ValueText.hex(salt))
    default: break
    }
  }

  /// Adds the engine that would open the file, and its known faults.
  mutating func addEngine() {
    add("Engine", "engine", Tool.engineName)
    let faults = Database.engine.faults
    facts.append(
      (
        "Known faults", "engineFaults",
        faults.isEmpty ? "none" : faults.map { "\($0) \($0.link)" }.joined(separator: "; "),
        "[" + faults.map { JSONRows.quoted($0.link) }.joined(separator: ",") + "]"
      ))
  }

  /// Adds what only an open database tells.
  mutating func addDatabase(_ db: Database) throws {
    try addSettings(db)
    try addTables(db)
  }

  /// Adds what takes no time, however large the database is.
  mutating func addSettings(_ db: Database) throws {
    if db.configuration.key != nil {
      add("Cipher", "cipher", CipherOption.text(db.configuration.cipher))
      add("Cipher settings", "cipherSettings", "\(db.configuration.cipher)")
    }
    func number(_ pragma: String) throws -> Int {
      try Int.fetchOne(db, sql: "PRAGMA \(pragma)") ?? 0
    }
    if !facts.contains(where: { $0.key == "pageSize" }) {
      add("Page size", "pageSize", try number("page_size"), unit: " bytes")
      add("User version", "userVersion", try number("user_version"))
      add("Application ID", "applicationID", try number("application_id"))
    }
    add("Pages", "pages", try number("page_count"))
    add("Free pages", "freePages", try number("freelist_count"))
    add("Journal", "journalMode", try String.fetchOne(db, sql: "PRAGMA journal_mode") ?? "")
    add("Encoding", "encoding", try String.fetchOne(db, sql: "PRAGMA encoding") ?? "")
  }

  private mutating func addTables(_ db: Database) throws {
    let tables = try Tool.tableNames(db).filter { $0.kind == "table" }.map { table in
      let name = table.name.quotedDatabaseIdentifier
      // A virtual table can need a module or a tokenizer that isn't here.
      let count =
        table.isVirtual
        ? try? Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)")
        : try Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)")
      return (table.name, count)
    }
    let text = tables.map { name, count in
      "\(name) (\(count.map { Numbers.count($0, "row") } ?? "unreadable"))"
    }.joined(separator: ", ")
    let json = tables.map { name, count in
      "{\"name\":\(JSONRows.quoted(name)),\"rows\":\(count.map { "\($0)" } ?? "null")}"
    }
    facts.append(
      ("Tables", "tables", text.isEmpty ? "none" : text, "[" + json.joined(separator: ",") + "]"))
  }

  var json: String {
    "{" + facts.map { "\(JSONRows.quoted($0.key)):\($0.json)" }.joined(separator: ",") + "}"
  }
}

extension Tool {
  /// `coffer info`
  static func info(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let path = invocation.arguments[0]
    let inspection = DatabaseFile.inspect(at: path)
    switch inspection.kind {
    case .missing: throw ToolError(.noInput, "\(path): no such file. Check the path")
    case .unreadable(let reason): throw ToolError(.noInput, "\(path): \(reason). Check its rights")
    case .directory: throw ToolError(.noInput, "\(path) is a directory. Name a file")
    default: break
    }
    var info = FileInfo()
    info.add("File", "path", path)
    info.addInspection(inspection)
    let opening = try Opening(invocation, path: path)
    if case .plaintext = inspection.kind, opening.source == nil {
      // A plaintext database needs no key. One that is damaged is still a file to describe.
      if let queue = try? opening.open(readonly: true) {
        try queue.read { try info.addDatabase($0) }
      }
    } else if opening.source != nil {
      let queue = try opening.open(readonly: true)
      try ToolError.naming(path) { try queue.read { try info.addDatabase($0) } }
    }
    info.addEngine()
    guard !invocation.has("json") else {
      console.line(info.json)
      return 0
    }
    console.line("\(path.printable) is \(inspection.description).")
    console.facts(info.facts.dropFirst().map { ($0.name, $0.text) })
    return 0
  }
}
