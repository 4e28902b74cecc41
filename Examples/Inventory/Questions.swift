import Coffer

private let packages = Table("package")
private let dependency = Table("dependency")
private let needs = Table("needs")

private let id = Column("id")
private let name = Column("name")
private let size = Column("size")
private let summary = Column("summary")
private let packageID = Column("packageId")
private let number = Column("number").detached

extension Question {
  /// Returns the ten questions of the demo. Their SQL works with SQLite 3.15 and later.
  static func all(_ db: Database) throws -> [Question] {
    let subject = try interestingPackage(db)
    return [
      biggestPackages, biggestSections, compressors, mostNeeded, leaves, maintainers,
      everythingNeeded(by: subject), mentioning("encryption key"), virtualPackages, architectures,
    ]
  }

  static let biggestPackages = Question(
    text: "Which packages take up the most room?",
    columns: [.text("Package"), .text("Version"), .size("Size"), .text("What it is")],
    request:
      packages
      .select(name, Column("version"), size, summary)
      .order(size.desc, name)
      .limit(5))

  static let biggestSections = Question(
    text: "What kinds of software fill the disk?",
    columns: [.text("Section"), .count("Packages"), .size("Size"), .percent("Share")],
    request:
      packages
      .select(
        Column("section") ?? "(none)", countAll(), sum(size).forKey("total"),
        100.0 * sum(size) / packages.select(sum(size))
      )
      .group(Column("section"))
      .order(Column("total").detached.desc))

  static let compressors: Question = {
    let libraries = [
      "zlib1g", "liblzma5", "libbz2-1.0", "libzstd1", "liblz4-1", "libbrotli1", "libsnappy1v5",
      "libdeflate0", "liblzo2-2",
    ]
    let p = TableAlias()
    let used = dependency.filter(packageID == p[id] && libraries.contains(name))
    return Question(
      text: "What packs or unpacks data, that is, needs a compression library?",
      columns: [.text("Package"), .count("Libraries"), .text("Which")],
      note: "The SQL says \"IN (?)\", and the ? is one array of \(libraries.count) names.",
      request:
        packages.aliased(p)
        .select(
          name, used.select(count(distinct: name)).forKey("number"),
          used.select(literal: "replace(group_concat(DISTINCT name), ',', ', ')")
        )
        .filter(used.exists())
        .order(number.desc, name))
  }()

  static let mostNeeded = Question(
    text: "What do most other packages need?",
    columns: [.text("Package"), .count("Needed by"), .size("Size"), .text("What it is")],
    request:
      Package
      .select { [$0.name] }
      .annotated(with: Package.users.count.forKey("number"))
      .annotated { [$0.size, $0.summary] }
      .having(!Package.users.isEmpty)
      .order(number.desc, name)
      .limit(5)
      .asRequest(of: Row.self))

  static let leaves = Question(
    text: "What does no other package need, so that it could go?",
    columns: [.text("Package"), .size("Size"), .text("What it is")],
    request:
      Package
      .select { [$0.name, $0.size, $0.summary] }
      .filter(!["required", "important"].contains(Column("priority") ?? ""))
      .having(Package.users.isEmpty)
      .order(size.desc, name)
      .asRequest(of: Row.self))

  static let maintainers: Question = {
    let maintainer = Column("maintainer")
    let person = SQLCase(maintainer.instr(" <"))
      .when(0, then: maintainer)
      .else(maintainer.substr(1, maintainer.instr(" <") - 1))
    return Question(
      text: "Who maintains the most packages?",
      columns: [.text("Maintainer"), .count("Packages"), .size("Size")],
      request:
        packages
        .select(person.forKey("person"), countAll().forKey("number"), sum(size))
        .filter(maintainer != nil)
        .group(Column("person").detached)
        .order(number.desc, Column("person").detached))
  }()

  static func everythingNeeded(by name: String) -> Question {
    let request: SQLRequest<Row> = """
      WITH RECURSIVE reached (id, steps) AS (
        SELECT id, 0 FROM package WHERE name = \(name)
        UNION
        SELECT needs.neededId, reached.steps + 1
        FROM reached JOIN needs ON needs.packageId = reached.id
        WHERE reached.steps < 20
      ),
      nearest (id, steps) AS (SELECT id, min(steps) FROM reached GROUP BY id)
      SELECT
        CASE steps WHEN 1 THEN 'directly' ELSE 'in ' || steps || ' steps' END,
        count(*), sum(size), group_concat(name, ', ')
      FROM nearest JOIN package USING (id)
      WHERE steps > 0
      GROUP BY steps
      ORDER BY steps
      """
    return Question(
      text: "What does \(name) need, directly and through others?",
      columns: [.text("How"), .count("Packages"), .size("Size"), .text("Such as")],
      note: "One recursive query, in SQL, follows the dependencies however far they go.",
      request: request)
  }

  /// The full-text index stems words; FTS5 also ranks the matches.
  static func mentioning(_ words: String) -> Question {
    let texts = Table(Schema.textIndex).select(name, summary)
    let found =
      Schema.hasRanking
      ? texts.matching(FTS5Pattern(matchingAllTokensIn: words)).order(Column.rank, name)
      : texts.matching(FTS3Pattern(matchingAllTokensIn: words)).order(name)
    return Question(
      text: "Which packages are about \"\(words)\", in any form of the words?",
      columns: [.text("Package"), .text("What it is")],
      note: Schema.hasRanking
        ? "Full-text search, the best match first; its index is encrypted as all else." : nil,
      request: found)
  }

  static let virtualPackages = Question(
    text: "Which names are no package's own, and who stands in for them?",
    columns: [.text("Virtual package"), .count("Asked for by"), .text("Provided by")],
    request: SQLRequest<Row>(
      sql: """
        SELECT virtual.name,
          (SELECT count(DISTINCT packageId) FROM dependency WHERE name = virtual.name) AS number,
          replace(group_concat(DISTINCT package.name), ',', ', ')
        FROM provided AS virtual JOIN package ON package.id = virtual.packageId
        WHERE virtual.name NOT IN (SELECT name FROM package)
        GROUP BY virtual.name
        ORDER BY number DESC, virtual.name
        """))

  static let architectures: Question = {
    let p = TableAlias()
    let counted = CommonTableExpression(
      named: "counted",
      request: packages.aliased(p).select(
        Column("architecture"), size,
        needs.filter(packageID == p[id]).select(countAll()).forKey("needed")))
    return Question(
      text: "What machines is it for, and how much does one package need?",
      columns: [
        .text("Architecture"), .count("Packages"), .size("Size"), .decimal("On average"),
        .count("At most"),
      ],
      request:
        counted.all().with(counted)
        .select(
          Column("architecture"), countAll().forKey("number"), sum(size),
          average(Column("needed")), max(Column("needed"))
        )
        .group(Column("architecture"))
        .order(number.desc))
  }()

  /// Returns a well-known package with dependencies, or else the one with the most dependencies.
  static func interestingPackage(_ db: Database) throws -> String {
    let known = ["git", "openssh-server", "openssh-client", "curl", "apt"]
    let installed =
      try packages
      .filter(known.contains(name) && needs.select(packageID).contains(id))
      .select(name, as: String.self)
      .fetchSet(db)
    if let name = known.first(where: installed.contains) { return name }
    let p = TableAlias()
    return
      try packages.aliased(p)
      .order(needs.filter(packageID == p[id]).select(countAll()).desc, name)
      .select(name, as: String.self)
      .fetchOne(db) ?? ""
  }
}
