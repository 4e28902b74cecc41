import CofferTestSupport
import Testing

struct ImportScenarios {
  @Test func `csv is RFC 4180, with detected types`() throws {
    let vault = try Vault()
    let csv = "id,price,code,text,empty\r\n1,1.5,007,\"a \"\"b\"\",\r\nc\",\r\n-2,2,10,\"\",\r\n"
    #expect(try vault.run("import", "vault.db", "t", "-", "--create", input: csv).code == 0)
    let rows = try vault.run("query", "vault.db", "SELECT * FROM t", "--mode", "ndjson")
    #expect(
      rows.output == """
        {"id":1,"price":1.5,"code":"007","text":"a \\"b\\",\\r\\nc","empty":null}
        {"id":-2,"price":2.0,"code":"10","text":"","empty":null}

        """)
    #expect(
      try vault.run("schema", "vault.db", "t").output
        == "CREATE TABLE \"t\" (\"id\" INTEGER, \"price\" REAL, \"code\" TEXT, \"text\" TEXT, \"empty\" TEXT);\n"
    )
  }

  @Test(arguments: ["csv", "tsv", "json", "ndjson"])
  func `what is exported can be imported again`(format: String) throws {
    let vault = try Vault()
    _ = try vault.run(
      "exec", "vault.db",
      "INSERT INTO player VALUES (4, 'tab\t\"quote\" \nline, 日本', 1e300, x'010203'), (5, '1', -0.1, x'')"
    )
    #expect(try vault.run("export", "vault.db", "player", "--output", "rows.\(format)").code == 0)
    let sql = Self.copy
    #expect(try vault.run("exec", "vault.db", sql).code == 0)
    let run = try vault.run("import", "vault.db", "copy", "rows.\(format)")
    #expect(run.error == "")
    #expect(run.output == "")
    let same = try vault.run(
      "query", "vault.db",
      """
      SELECT count(*) AS n FROM player a JOIN copy b ON a.id = b.id AND a.name IS b.name
      AND a.score = b.score AND a.photo IS b.photo AND typeof(a.photo) = typeof(b.photo)
      """)
    #expect(same.output == "n\r\n5\r\n")
  }

  private static let copy =
    "CREATE TABLE copy (id INTEGER PRIMARY KEY, name TEXT, score REAL, photo BLOB)"

  @Test(arguments: [
    ("id,name\n11,a\n12,b,c\n", "csv", "line 3: "),
    ("id,name\n11,\"a\nb\"\nx,y\n", "csv", "line 4: "),
    ("id,name\n1,\"a\n", "csv", "line 2: "), ("id,name\n1,a\"b\n", "csv", "line 2: "),
    ("id,name\n10,a\n10,b\n", "csv", "line 3: "), ("id,nmae\n1,a\n", "csv", "line 1: "),
    ("id,name\n10,\u{0}a\n11\n", "csv", "line 3: "),
    ("{\"id\":10}\n{\"id\":\"x\"}\n", "ndjson", "line 2: "),
    ("{\"id\":10}\n{\"id\":11\n", "ndjson", "line "),
    ("[{\"id\":10},\n{\"id\":11,\"nmae\":1}]", "json", "line 2: "),
    ("[{\"id\":10},\n{\"id\":}]", "json", "line 2: "), ("{\"id\":10}", "json", "line 1: "),
    ("[{\"id\":10},\n{\"id\":11,\"name\":[1,]}]", "json", "line 2: this is no value"),
    ("[{\"id\":10,\"name\":[1\n2]}]", "json", "line 2: a comma is missing"),
    ("[{\"id\":10,\"name\":{\"a\" 1}}]", "json", "line 1: a colon is missing"),
    ("[{\"id\":10,\"name\":[}]", "json", "line 1: "), ("[{\"id\":007}]", "json", "line 1: "),
    ("[{\"id\":1.}]", "json", "line 1: "),
    ("[{\"name\":\"\\u+123\"}]", "json", "line 1: \\u needs"),
    ("", "csv", "is empty"), ("id,name,ID\n1,a,2\n", "csv", "line 1: "),
  ])
  func `a line that doesn't fit is named, and nothing is imported`(
    text: String, format: String, place: String
  ) throws {
    let vault = try Vault()
    let run = try vault.run("import", "vault.db", "player", "-", "--format", format, input: text)
    #expect(run.code == 1)
    #expect(run.hasOneErrorLine)
    #expect(run.error.contains(place))
    let count = try vault.run("query", "vault.db", "SELECT count(*) AS n FROM player")
    #expect(count.output == "n\r\n3\r\n")
  }

  /// Values as SQL, of all kinds that come back by different ways.
  private static let values = (
    numbers: [
      "NULL", "0", "-1", "7", "9223372036854775807", "-9223372036854775808", "9007199254740993",
      "0.1", "2.0", "-0.5", "0.30000000000000004", "801562.2678495", "1e126", "1e300", "5e-324",
      "9e999", "-9e999", "1.7976931348623157e308", "123456789012345680.0",
    ],
    texts: [
      "''", "'7'", "'007'", "'+49'", "'1.10'", "'12E4'", "'1e5'", "'2.0'", "'Inf'", "'-Inf'",
      "' 7'",
      "'-0'", "'NULL'", "'a,b\"c'", "char(13, 10)", "char(9)", "'\"'", "'é'",
      "'12345678901234567890'", "'3.14159265358979323846'", "'1E400'", "'true'",
    ]
  )

  @Test(arguments: ["csv", "tsv", "json", "ndjson"])
  func `random values come back with their types`(format: String) throws {
    var random = SeededGenerator()
    let vault = try Vault()
    let (numbers, texts) = Self.values
    let any = numbers + texts
    func value(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }
    let rows = (0..<200).map { _ in
      "(\(value(any)), \(value(any)), \(value(texts)), \(value(numbers)), \(value(numbers)))"
    }
    let sql = """
      CREATE TABLE a (u, n NUMERIC, t TEXT, i INTEGER, r REAL);
      CREATE TABLE b (u, n NUMERIC, t TEXT, i INTEGER, r REAL);
      INSERT INTO a VALUES \(rows.joined(separator: ", "))
      """
    #expect(try vault.run("exec", "vault.db", "-", input: sql).code == 0)
    #expect(try vault.run("export", "vault.db", "a", "--output", "rows.\(format)").code == 0)
    let run = try vault.run("import", "vault.db", "b", "rows.\(format)")
    #expect(run.code == 0, "\(run.error)")
    let columns = ["u", "n", "t", "i", "r"].map { "\($0), typeof(\($0))" }.joined(separator: ", ")
    let differences = try vault.run(
      "query", "vault.db",
      "SELECT rowid, \(columns) FROM a EXCEPT SELECT rowid, \(columns) FROM b", "--mode", "tabs")
    #expect(differences.output.split(separator: "\n").count <= 1, "\(differences.output)")
  }

  @Test func `a table that an import makes gives back what was written`() throws {
    var random = SeededGenerator()
    let vault = try Vault()
    let fields = [
      "1", "0", "-5", "007", "+49", "-0", "2", "2.0", "1.5", "1.50", "12E4", "-0.25", "1e5",
      "9223372036854775807", "9223372036854775808", "9007199254740993", "12345678901234567890",
      "3.14159265358979323846", "1E400", "Inf", "-Inf", "NaN", ".5", "5.", "0x10", "a", "1.0e+126",
    ]
    var types: Set<Substring> = []
    for trial in 0..<60 {
      let count = Int.random(in: 1...4, using: &random)
      let column = (0..<count).map { _ in fields.randomElement(using: &random) ?? "" }
      let csv = "c\n" + column.map { $0 + "\n" }.joined()
      let run = try vault.run("import", "vault.db", "t\(trial)", "-", "--create", input: csv)
      #expect(run.code == 0, "\(column): \(run.error)")
      let exported = try vault.run("export", "vault.db", "t\(trial)", "--format", "tsv").output
        .split(separator: "\n").dropFirst().map(String.init)
      let schema = try vault.run("schema", "vault.db", "t\(trial)").output
      let type = schema.split(separator: " ").last ?? ""
      types.insert(type)
      // Among decimals, an integer becomes one.
      let expected =
        type.hasPrefix("REAL")
        ? column.map { $0.contains { ".In".contains($0) } ? $0 : $0 + ".0" } : column
      #expect(exported == expected, "\(column) as \(schema)")
    }
    #expect(types.count >= 3, "\(types)")
  }

  @Test func `a number that its column can't keep is an error with its line`() throws {
    let vault = try Vault()
    _ = try vault.run(
      "exec", "vault.db", "CREATE TABLE n (i INTEGER, r REAL, n NUMERIC, u)")
    for (column, value) in [
      ("i", "12345678901234567890"), ("r", "9007199254740993"), ("r", "1E400"),
      ("r", "3.14159265358979323846"), ("n", "12345678901234567890"), ("n", "1E400"),
    ] {
      for (format, text) in [
        ("csv", "\(column)\n1\n\(value)\n"),
        ("ndjson", "{\"\(column)\":1}\n{\"\(column)\":\(value)}\n"),
      ] {
        let run = try vault.run("import", "vault.db", "n", "-", "--format", format, input: text)
        #expect(run.code == 1, "\(column) \(value) \(format)")
        #expect(run.error.contains(format == "csv" ? "line 3: " : "line 2: "), "\(run.error)")
      }
    }
    #expect(
      try vault.run("query", "vault.db", "SELECT count(*) AS n FROM n").output == "n\r\n0\r\n")
  }

  @Test func `names are SQLite's: only A to Z are the same as a to z`() throws {
    let vault = try Vault()
    _ = try vault.run("exec", "vault.db", "CREATE TABLE n (\"É\", \"é\", a)")
    #expect(try vault.run("import", "vault.db", "n", "-", input: "é,A\n1,2\n").code == 0)
    #expect(
      try vault.run("query", "vault.db", "SELECT \"É\" AS x, \"é\" AS y, a FROM n").output
        == "x,y,a\r\n,1,2\r\n")
    let twice = try vault.run(
      "import", "vault.db", "n", "-", "--format", "json", input: "[{\"a\":1,\"A\":2}]")
    #expect(twice.code == 1)
    #expect(twice.error.contains("line 1: the column \"A\" is named twice"), "\(twice.error)")
    let bytes = try vault.bash(
      "printf 'caf\\xe9,b\\n1,2\\n' | $coffer import vault.db m - --create --key-file key")
    #expect(bytes.code == 1)
    #expect(bytes.error.contains("UTF-8"))
  }

  @Test func `an object of an upsert changes only what it has`() throws {
    let vault = try Vault()
    _ = try vault.run(
      "exec", "vault.db",
      "CREATE TABLE u (id INTEGER PRIMARY KEY, a, b); INSERT INTO u VALUES (1, 2, 3)")
    let json = "[{\"id\":1,\"a\":4},{\"id\":2,\"b\":5},{\"b\":6,\"id\":1},{\"id\":2,\"b\":null}]"
    let run = try vault.run(
      "import", "vault.db", "u", "-", "--format", "json", "--upsert", "id", input: json)
    #expect(run.code == 0, "\(run.error)")
    #expect(
      try vault.run("query", "vault.db", "SELECT * FROM u").output
        == "id,a,b\r\n1,4,6\r\n2,,\r\n")
  }

  @Test func `bytes that aren't UTF-8 are refused`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      "printf 'id,name\\n7,\\xff\\n' | $coffer import vault.db player - --key-file key")
    #expect(run.code == 1)
    #expect(run.error.contains("line 2: "))
  }

  @Test func `upsert updates the rows that exist`() throws {
    let vault = try Vault()
    let run = try vault.run(
      "import", "vault.db", "player", "-", "--upsert", "id", input: "id,name\n1,Ford\n9,Zaphod\n")
    #expect(run.code == 0)
    let rows = try vault.run(
      "query", "vault.db", "SELECT id, name, score FROM player WHERE name > ''", "--mode", "tabs")
    #expect(rows.output == "id\tname\tscore\n1\tFord\t1.5\n9\tZaphod\t\n")
    let unknown = try vault.run(
      "import", "vault.db", "player", "-", "--upsert", "idd", input: "id\n1\n")
    #expect(unknown.code == 2)
  }

  @Test func `types can be given`() throws {
    let vault = try Vault()
    let run = try vault.run(
      "import", "vault.db", "t", "-", "--create", "--types", "a:TEXT,b:BLOB",
      input: "a,b\n1,AP8=\n")
    #expect(run.code == 0)
    let rows = try vault.run("query", "vault.db", "SELECT typeof(a) AS a, hex(b) AS b FROM t")
    #expect(rows.output == "a,b\r\ntext,00FF\r\n")
  }

  @Test func `a file without names fills the columns in their order`() throws {
    let vault = try Vault()
    #expect(try vault.run("import", "vault.db", "note", "-", input: "7,1,seven\n").code == 0)
    #expect(
      try vault.run("query", "vault.db", "SELECT * FROM note").output
        == "id,player,text\r\n7,1,seven\r\n")
  }

  @Test func `a missing table or file is told`() throws {
    let vault = try Vault()
    let table = try vault.run("import", "vault.db", "plaier", "-", input: "a\n1\n")
    #expect(table.code == 1)
    #expect(table.error.contains("--create"))
    #expect(try vault.run("import", "vault.db", "player", "none.csv").code == 66)
    #expect(try vault.run("export", "vault.db", "plaier").code == 1)
    #expect(try vault.run("export", "vault.db").code == 2)
    #expect(try vault.run("export", "vault.db", "player", "--format", "xml").code == 2)
    #expect(try vault.run("export", "vault.db", "player", "--output", "no/file").code == 73)
  }

  @Test func `records that cross the reader's chunks are whole`() throws {
    let vault = try Vault()
    var csv = "id,name\n"
    for id in 10..<4000 { csv += "\(id),\"\(String(repeating: "x\n\"\"", count: id % 200))\"\r\n" }
    #expect(try vault.run("import", "vault.db", "player", "-", input: csv).code == 0)
    let sum = try vault.run(
      "query", "vault.db",
      "SELECT count(*) AS n FROM player WHERE id > 9 AND length(name) = 3 * (id % 200)")
    #expect(sum.output == "n\r\n3990\r\n")
  }

  @Test func `an export never overwrites the database itself, and keeps no part of a file`() throws
  {
    let vault = try Vault()
    let before = try vault.contents(of: "vault.db")
    for command in ["export vault.db player", "dump vault.db --yes"] {
      let run = try vault.bash(
        "ln -sf vault.db link; $coffer \(command) --key-file key --output link")
      #expect(run.code == 2)
      #expect(try vault.contents(of: "vault.db") == before)
    }
    let failing = "SELECT 1 AS a UNION ALL SELECT abs(-9223372036854775807 - 1)"
    let run = try vault.run("export", "vault.db", "--sql", failing, "--output", "part.csv")
    #expect(run.code == 1)
    #expect(try !vault.folder.contents().contains("part.csv"))
  }

  @Test func `export has the other forms too`() throws {
    let vault = try Vault()
    let sql = try vault.run(
      "export", "vault.db", "--sql", "SELECT 1 AS a, 'it''s' AS b", "--format", "sql")
    #expect(sql.output == "INSERT INTO \"query\"(\"a\",\"b\") VALUES(1,'it''s');\n")
    let markdown = try vault.run(
      "export", "vault.db", "--sql", "SELECT 'a|b' AS c", "--format", "markdown")
    #expect(markdown.output == "|  c   |\n|------|\n| a\\|b |\n")
  }
}
