import Coffer

extension Question {
  /// The ten questions of the demo. Their SQL is for every SQLite from 3.15 on.
  static func all(_ db: Database) throws -> [Question] {
    let subject = try interestingPackage(db)
    return [
      biggestPackages, biggestSections, compressors, mostNeeded, leaves, maintainers,
      everythingNeeded(by: subject), mentioning("encrypt"), virtualPackages, architectures,
    ]
  }

  static let biggestPackages = Question(
    text: "Which packages take up the most room?",
    columns: [.text("Package"), .text("Version"), .size("Size"), .text("What it is")],
    sql: "SELECT name, version, size, summary FROM package ORDER BY size DESC, name LIMIT 5")

  static let biggestSections = Question(
    text: "What kinds of software fill the disk?",
    columns: [.text("Section"), .count("Packages"), .size("Size"), .percent("Share")],
    sql: """
      SELECT coalesce(section, '(none)'), count(*), sum(size) AS total,
        100.0 * sum(size) / (SELECT sum(size) FROM package)
      FROM package
      GROUP BY section
      ORDER BY total DESC
      """)

  static let compressors: Question = {
    let libraries = [
      "zlib1g", "liblzma5", "libbz2-1.0", "libzstd1", "liblz4-1", "libbrotli1", "libsnappy1v5",
    ]
    return Question(
      text: "What packs or unpacks data, that is, needs a compression library?",
      columns: [.text("Package"), .count("Libraries"), .text("Which")],
      sql: """
        SELECT package.name, count(DISTINCT dependency.name) AS number,
          replace(group_concat(DISTINCT dependency.name), ',', ', ')
        FROM package JOIN dependency ON dependency.package_id = package.id
        WHERE dependency.name IN (?)
        GROUP BY package.id
        ORDER BY number DESC, package.name
        """,
      arguments: [libraries],
      note: "The SQL says \"IN (?)\", and the ? is one array of \(libraries.count) names.")
  }()

  static let mostNeeded = Question(
    text: "What do most other packages need?",
    columns: [.text("Package"), .count("Needed by"), .size("Size"), .text("What it is")],
    sql: """
      SELECT name, count(*) AS number, size, summary
      FROM needs JOIN package ON package.id = needs.needed_id
      GROUP BY package.id
      ORDER BY number DESC, name
      LIMIT 5
      """)

  static let leaves = Question(
    text: "What does no other package need, so that it could go?",
    columns: [.text("Package"), .size("Size"), .text("What it is")],
    sql: """
      SELECT name, size, summary
      FROM package
      WHERE NOT EXISTS (SELECT 1 FROM needs WHERE needed_id = package.id)
        AND coalesce(priority, '') NOT IN ('required', 'important')
      ORDER BY size DESC, name
      """)

  static let maintainers = Question(
    text: "Who maintains the most packages?",
    columns: [.text("Maintainer"), .count("Packages"), .size("Size")],
    sql: """
      SELECT
        CASE instr(maintainer, ' <')
          WHEN 0 THEN maintainer
          ELSE substr(maintainer, 1, instr(maintainer, ' <') - 1)
        END AS person,
        count(*) AS number, sum(size)
      FROM package
      WHERE maintainer IS NOT NULL
      GROUP BY person
      ORDER BY number DESC, person
      """)

  static func everythingNeeded(by name: String) -> Question {
    Question(
      text: "What does \(name.printable) need, directly and through others?",
      columns: [.text("How"), .count("Packages"), .size("Size"), .text("Such as")],
      sql: """
        WITH RECURSIVE reached (id, steps) AS (
          SELECT id, 0 FROM package WHERE name = ?
          UNION
          SELECT needs.needed_id, reached.steps + 1
          FROM reached JOIN needs ON needs.package_id = reached.id
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
        """,
      arguments: [name],
      note: "One recursive query follows the dependencies, however far they go.")
  }

  static func mentioning(_ word: String) -> Question {
    Question(
      text: "Which packages say \"\(word)\" in their description?",
      columns: [.text("Package"), .text("What it is")],
      sql: """
        SELECT name, summary
        FROM package
        WHERE summary LIKE :pattern OR details LIKE :pattern
        ORDER BY summary LIKE :pattern DESC, name
        """,
      arguments: ["pattern": "%\(word)%"])
  }

  static let virtualPackages = Question(
    text: "Which names are no package's own, and who stands in for them?",
    columns: [.text("Virtual package"), .count("Asked for by"), .text("Provided by")],
    sql: """
      SELECT virtual.name,
        (SELECT count(DISTINCT package_id) FROM dependency WHERE name = virtual.name) AS number,
        replace(group_concat(DISTINCT package.name), ',', ', ')
      FROM provided AS virtual JOIN package ON package.id = virtual.package_id
      WHERE virtual.name NOT IN (SELECT name FROM package)
      GROUP BY virtual.name
      ORDER BY number DESC, virtual.name
      """)

  static let architectures = Question(
    text: "What machines is it for, and how much does one package need?",
    columns: [
      .text("Architecture"), .count("Packages"), .size("Size"), .decimal("On average"),
      .count("At most"),
    ],
    sql: """
      SELECT architecture, count(*) AS number, sum(size), avg(needed), max(needed)
      FROM (
        SELECT architecture, size,
          (SELECT count(*) FROM needs WHERE package_id = package.id) AS needed
        FROM package
      )
      GROUP BY architecture
      ORDER BY number DESC
      """)

  /// A package that most people know and that needs others; otherwise, the one that needs most.
  private static func interestingPackage(_ db: Database) throws -> String {
    let known = ["git", "openssh-server", "openssh-client", "curl", "apt"]
    let installed = try String.fetchSet(
      db,
      sql: """
        SELECT name FROM package
        WHERE name IN (?) AND id IN (SELECT package_id FROM needs)
        """,
      arguments: [known])
    if let name = known.first(where: installed.contains) { return name }
    return try String.fetchOne(
      db,
      sql: """
        SELECT name FROM package
        ORDER BY (SELECT count(*) FROM needs WHERE package_id = package.id) DESC, name
        LIMIT 1
        """) ?? ""
  }
}
