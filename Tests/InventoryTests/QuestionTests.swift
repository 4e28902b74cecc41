import Coffer
import Testing

@testable import Inventory

struct QuestionTests {
  /// An inventory in memory.
  private func inventory(
    _ packages: [InstalledPackage]
  ) throws -> (queue: DatabaseQueue, counts: InventoryWriter.Counts) {
    let queue = try DatabaseQueue()
    try Schema.migrator.migrate(queue)
    let counts = try queue.write { db in try InventoryWriter.write(packages, db) }
    return (queue, counts)
  }

  private func package(
    _ name: String, depends: String = "", provides: String = "", size: Int? = 1024,
    summary: String? = nil, architecture: String? = "amd64"
  ) -> InstalledPackage {
    InstalledPackage(
      name: name, architecture: architecture, installedSize: size, summary: summary,
      dependencies: PackageRelation.groups(depends),
      provides: PackageRelation.groups(provides).flatMap(\.self))
  }

  private func answer(_ question: Question, _ queue: DatabaseQueue) throws -> [String] {
    let answer = try queue.read { try question.answer($0) }
    return answer.table.lines(width: 200).dropFirst(2).map { line in
      line.split(separator: " ").joined(separator: " ")
    }
  }

  @Test func `a dependency is fulfilled by a name, by a virtual package, or not at all`() throws {
    let (queue, counts) = try inventory([
      package("a", depends: "b (>= 1) | c, mail, gone, a"), package("b"),
      package("c", provides: "mail"),
    ])
    #expect(
      counts == InventoryWriter.Counts(packages: 3, dependencies: 5, provided: 1, duplicates: 0))
    let needs = try queue.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT p.name || ' ' || n.name
          FROM needs JOIN package p ON p.id = packageId JOIN package n ON n.id = neededId
          ORDER BY 1
          """)
    }
    #expect(needs == ["a b", "a c"])
    let groups = try queue.read { db in
      try Row.fetchAll(
        db, sql: "SELECT groupNumber, alternative, name, comparison, version FROM dependency"
      ).map { ($0[0] as Int, $0[1] as Int, $0[2] as String, $0[3] as String?) }
    }
    #expect(groups.map(\.0) == [0, 0, 1, 2, 3])
    #expect(groups.map(\.1) == [0, 1, 0, 0, 0])
    #expect(groups.first?.3 == ">=")
  }

  @Test func `a package that is listed twice is stored once`() throws {
    let (queue, counts) = try inventory([
      package("a", depends: "b"), package("a", depends: "c"),
      package("a", architecture: "i386"), package("x", architecture: nil),
      package("x", architecture: nil),
    ])
    #expect(counts.packages == 3)
    #expect(counts.duplicates == 2)
    #expect(
      try queue.read { try String.fetchAll($0, sql: "SELECT name FROM dependency") } == ["b"])
  }

  @Test func `a circle of dependencies has an end`() throws {
    let (queue, _) = try inventory([
      package("a", depends: "b"), package("b", depends: "c, d"), package("c", depends: "a"),
      package("d"),
    ])
    #expect(
      try answer(.everythingNeeded(by: "a"), queue)
        == ["directly 1 1.0 MiB b", "in 2 steps 2 2.0 MiB c, d"])
  }

  @Test func `the questions are answered`() throws {
    let (queue, _) = try inventory([
      package("app", depends: "zlib1g, liblzma5, mail", size: 2048, summary: "encrypts"),
      package("tool", depends: "zlib1g", size: nil, summary: "50% off"),
      package("zlib1g", architecture: "all"), package("liblzma5"),
      package("postfix", provides: "mail, smtp"),
    ])
    #expect(
      try answer(.biggestPackages, queue).first == "app 2.0 MiB encrypts")
    #expect(
      try answer(.compressors, queue) == ["app 2 liblzma5, zlib1g", "tool 1 zlib1g"])
    #expect(
      try answer(.mostNeeded, queue)
        == ["zlib1g 2 1.0 MiB", "liblzma5 1 1.0 MiB", "postfix 1 1.0 MiB"])
    #expect(try answer(.leaves, queue) == ["app 2.0 MiB encrypts", "tool 50% off"])
    #expect(try answer(.virtualPackages, queue) == ["mail 1 postfix", "smtp 0 postfix"])
    #expect(
      try answer(.architectures, queue)
        == ["amd64 4 4.0 MiB 1.0 3", "all 1 1.0 MiB 0.0 0"])
    #expect(try answer(.mentioning("ENCRYPT"), queue) == ["app encrypts"])
    #expect(try answer(.biggestSections, queue) == ["(none) 5 5.0 MiB 100.0 %"])
    #expect(try answer(.maintainers, queue) == [])
  }

  @Test func `maintainers are counted by name, with or without an address`() throws {
    var packages = [package("a"), package("b"), package("c")]
    packages[0].maintainer = "Ada <ada@example.org>"
    packages[1].maintainer = "Ada"
    packages[2].maintainer = "<nobody@example.org>"
    let (queue, _) = try inventory(packages)
    #expect(
      try answer(.maintainers, queue)
        == ["Ada 2 2.0 MiB", "<nobody@example.org> 1 1.0 MiB"])
  }

  @Test func `there are ten questions, whatever is installed`() throws {
    for packages in [[package("only")], [package("a", depends: "b"), package("b")]] {
      let (queue, _) = try inventory(packages)
      let count = try queue.read { db in
        let questions = try Question.all(db)
        for question in questions { _ = try question.answer(db) }
        return questions.count
      }
      #expect(count == 10)
    }
  }
}
