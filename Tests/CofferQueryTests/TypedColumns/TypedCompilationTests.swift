import CofferExpectations
import Foundation
import Testing

/// Expressions that must compile, or must not, checked by the compiler.
@Suite(.enabled(if: Compiler.found != nil, "no Swift compiler next to the runtime"))
struct TypedCompilationTests {
  private static let prelude = """
    import Coffer
    import Foundation
    enum Kind: String, Codable, DatabaseValueConvertible { case a, b }
    enum Other: String, Codable, DatabaseValueConvertible { case a, b }
    struct Address: Codable { var city: String }
    struct Player: Codable, TableRecord {
      var id: Int64, name: String, nick: String?, score: Int, bonus: Int?, ratio: Double
      var active: Bool, kind: Kind, date: Date, address: Address
      var shouted: String { name.uppercased() }
    }
    struct Team: Codable, TableRecord {
      var id: Int64, name: String, score: Int, bonus: Int?, email: String?, active: Bool
      enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let score = Column(CodingKeys.score)
        static let bonus = Column(CodingKeys.bonus)
        static let email = Column(CodingKeys.email)
        static let active = Column(CodingKeys.active)
      }
    }

    """

  /// The expressions that don't compile.
  /// - Parameter scopes: How much the type checker may try for one expression.
  private func rejected(_ expressions: [String], scopes: Int? = nil) throws -> [String] {
    try errors(in: expressions, scopes: scopes).map { expressions[$0.expression] }
  }

  /// The first error of each expression that doesn't compile.
  /// - Parameter scopes: How much the type checker may try for one expression.
  private func errors(
    in expressions: [String], scopes: Int? = nil
  ) throws -> [(expression: Int, message: String)] {
    let compiler = try #require(Compiler.found)
    let functions = expressions.enumerated().map { number, expression in
      """
      func f\(number)(_ n: Int?, _ s: String?, _ i: Int, _ x: Double, _ y: Double) \
      { _ = \(expression) }
      """
    }
    let source = Self.prelude + functions.joined(separator: "\n") + "\n"
    let firstLine = Self.prelude.split(separator: "\n", omittingEmptySubsequences: false).count
    let limit = scopes.map { ["-Xfrontend", "-solver-scope-threshold=\($0)"] } ?? []
    let errors = try compiler.errorsByLine(in: source, options: limit)
    #expect(errors.keys.allSatisfy { $0 >= firstLine }, "the prelude doesn't compile")
    return errors.sorted { $0.key < $1.key }.compactMap { line, message in
      expressions.indices.contains(line - firstLine) ? (line - firstLine, message) : nil
    }
  }

  @Test func `expressions of different types don't compile`() throws {
    let expressions = [
      #"Player.filter { $0.score == "abc" }"#,
      #"Player.filter { "abc" == $0.score }"#,
      #"Player.filter { $0.name == 3 }"#,
      #"Player.filter { $0.name == n }"#,
      #"Player.filter { $0.bonus == s }"#,
      #"Player.filter { $0.score < $0.name }"#,
      #"Player.filter { $0.score == $0.id }"#,
      #"Player.filter { $0.bonus == $0.ratio }"#,
      #"Player.filter { $0.score == 1.5 }"#,
      #"Player.filter { $0.date > "2020-01-01" }"#,
      #"Player.filter { $0.kind == "a" }"#,
      #"Player.filter { $0.kind == Other.a }"#,
      #"Player.filter { $0.address == $0.name }"#,
      #"Player.filter { $0.score && $0.active }"#,
      #"Player.filter { !$0.score }"#,
      #"Player.filter { $0.score + $0.name }"#,
      #"Player.filter { $0.score + "x" }"#,
      #"Player.filter { $0.active + 1 == 2 }"#,
      #"Player.filter { $0.score.hasPrefix("1") }"#,
      #"Player.filter { $0.name.hasPrefix(1) }"#,
      #"Player.filter { ["a"].contains($0.score) }"#,
      #"Player.filter { (1...3).contains($0.name) }"#,
      #"Player.filter { $0.nothing == 1 }"#,
      #"Player.filter { $0.address.city == "x" }"#,
      #"Player.Columns.score.set(to: "x")"#,
      #"Player.Columns.score.set(to: nil)"#,
      #"Player.Columns.score.set(to: Player.Columns.bonus)"#,
      #"Player.Columns.score += "x""#,
    ]
    #expect(try rejected(expressions) == expressions)
  }

  @Test func `a persistence container stays on its thread`() throws {
    // Those into a `Task` are found behind the type checker, by isolated regions.
    let escapes = [
      "{ (c: PersistenceContainer) in Thread.detachNewThread { _ = c.count } }",
      "{ (c: PersistenceContainer) -> any Sendable in c }",
    ]
    #expect(try rejected(escapes) == escapes)
    let uses = [
      #"{ (c: inout PersistenceContainer) in var copy = c; copy["a"] = 1; c = copy }"#
    ]
    #expect(try rejected(uses) == [])
  }

  @Test func `ordinary expressions compile`() throws {
    let expressions = [
      #"Player.filter { $0.score >= 1000 && $0.name.hasPrefix("A") }.order { $0.score.desc }"#,
      #"Player.filter { $0.bonus == n && $0.nick != s && n != $0.score }"#,
      #"Player.filter { $0.kind == .a && $0.kind != Kind.b && [.a].contains($0.kind) }"#,
      #"Player.filter { $0.ratio >= 1 && 2 * $0.ratio + 1 < 3.5 }"#,
      """
      Player.filter { $0.score > 1 && $0.name != "a" && $0.ratio * 2 < 3 && $0.bonus == nil \
      && !($0.active || $0.score % 2 == 0) }
      """,
      #"Player.select { $0.score } as QueryInterfaceRequest<Int>"#,
      #"Player.select { max($0.score) } as QueryInterfaceRequest<Int?>"#,
      #"Player.select { [$0.score, $0.name] } as QueryInterfaceRequest<Player>"#,
      #"Player.all().annotated { ($0.score + $0.bonus).forKey("total") }"#,
      #"Player.filter { $0.name.trim() == "x" && $0.ratio.round(digits: 2) > 3 }"#,
      #"Player.filter { $0.date.unixEpoch() > 4 && $0.date.date() == "2026-11-22" }"#,
      "[Column(s!) - Column(s!), Column(s!) << Column(s!), Column(s!) & Column(s!)]",
      "[Column(s!) < Column(s!), Column(s!) >= n, s < Column(s!), Column(s!) == Column(s!)]",
    ]
    #expect(try rejected(expressions) == [])
  }

  @Test func `Swift's own operators are left alone`() throws {
    let expressions = [
      #"[1, 2, 3].map { $0 * 2 + 1 }.filter { $0 > 3 && $0 != 5 }.reduce(0, +) == 7"#,
      #"(n ?? 0) + 1 == 3 && s == nil"#,
      #"max(1, min(n ?? 0, 3)) + abs(-3)"#,
      #"["a", "b"].contains("a") && (1...3).contains(2) && "abc".hasPrefix("a")"#,
    ]
    #expect(try rejected(expressions) == [])
  }

  // The type checker counts the scopes that it opens: unlike time, that is the same
  // on every machine. What stands here needs a third of these at most.

  @Test func `Swift's own operators cost little beside the module's`() throws {
    let expressions = [
      #"(n ?? 0) + 1 == 3 && s == nil"#,
      #"(n ?? 0) + 1 == 3 && s == nil || (s ?? "") + "x" < "y" && !(n == 3)"#,
      #"max(1, min(n ?? 0, 3)) + abs(-3) + 2"#,
      #"x * 2 + y / 3 - 1 < 4 * x && i % 2 == 0 || i >> 1 > 3"#,
      #"i == 1 || i == 2 || i == 3 || i == 4 || i == 5"#,
      #""a" + (s ?? "b") + "c" + String(i) + "d" == "x""#,
    ]
    #expect(try rejected(expressions, scopes: 30_000) == [])
  }

  @Test func `conditions of columns cost little`() throws {
    let expressions = [
      #"Player.filter { ($0.bonus ?? 0) - 1 == 0 && ($0.bonus ?? 0) - 1 == 0 }"#,
      """
      Player.filter { $0.score >= 10 && $0.score < 3 && $0.score != 4 && $0.active \
      && $0.bonus == 3 }
      """,
      """
      Player.filter { $0.score >= 10 && $0.name.hasPrefix("A") && $0.bonus != nil \
      && $0.ratio * 2 + 1 < 3.5 && !($0.active || $0.score % 2 == 0) }
      """,
      """
      Player.filter { $0.score + 1 > 2 && $0.score * 2 <= 30 && $0.name != "a" \
      && $0.ratio / 2 > 0.5 && ($0.bonus ?? 0) - 1 == 0 }
      """,
      """
      Table("player").filter(Column("a") >= 10 && Column("b") == s && Column("c") != nil \
      && Column("a") + 1 < 3 && Column("d") == n)
      """,
    ]
    #expect(try rejected(expressions, scopes: 90_000) == [])
  }

  @Test func `conditions of GRDB's nested columns cost little`() throws {
    let expressions = [
      #"Team.filter { $0.name == "a" && $0.score > 5 && $0.email != nil }"#,
      """
      Team.filter { $0.name == "a" && $0.score > 5 && $0.email != nil && $0.bonus == n \
      && $0.active }
      """,
      """
      Team.filter { $0.name == s && $0.score + 1 > 5 && ($0.email == nil || $0.bonus >= 3) \
      && !$0.active }
      """,
      """
      Team.filter { ($0.score > 5 || $0.score < 1) && ($0.name == "a" || $0.name == "b") \
      && ($0.bonus ?? 0) > 3 }
      """,
      #"Team.filter { 5 < $0.score && "a" != $0.name && $0.email == s && nil != $0.bonus }"#,
    ]
    #expect(try rejected(expressions, scopes: 90_000) == [])
  }

  @Test func `conditions that mix typed columns with others cost little`() throws {
    let expressions = [
      #"Player.filter { $0.name == "a" && Column("score") > 5 && $0.active }"#,
      #"Player.filter { Column("name") == "a" && $0.score > 5 && Column("bonus") != nil }"#,
      """
      Player.filter { $0.score > Column("bonus") && $0.name == Column("nick") \
      && Column("a") == $0.score }
      """,
      """
      Player.filter { $0.score + Column("bonus") > 5 && Column("a") * $0.score < 3 \
      && $0.active }
      """,
      """
      Player.filter { ($0.score > 5 || Column("a") == 1) && ($0.name != "x" || Column("b") < 3) \
      && $0.active }
      """,
      """
      Player.filter { $0.score > 5 && Column("a") == 1 && $0.name != "x" && Column("b") < 3 \
      && $0.bonus == nil && Column("c") != s }
      """,
    ]
    #expect(try rejected(expressions, scopes: 90_000) == [])
  }

  @Test func `what is wrong with a condition is found soon, and named`() throws {
    let expressions = [
      (#"Player.filter { $0.name == "x" && $0.nosuch > 500 && $0.nick != "a" }"#, ["'nosuch'"]),
      (#"Player.filter { $0.nosuch == "x" && $0.score > 500 && $0.name != "a" }"#, ["'nosuch'"]),
      (#"Player.filter { $0.name == "x" && $0.score > 500 && $0.nosuch != "a" }"#, ["'nosuch'"]),
      (
        #"Player.all().filter { $0.name == "x" && $0.nosuch > 500 && $0.nick != "a" }"#,
        ["'nosuch'"]
      ),
      (#"Team.filter { $0.name == "a" && $0.nosuch > 5 && $0.email != nil }"#, ["'nosuch'"]),
      (
        #"Player.filter { $0.score == "x" && $0.name == "y" && $0.bonus == 3 }"#,
        ["TypedColumn<Int>", "String"]
      ),
      (
        #"Player.filter { $0.name == "y" && $0.bonus == 3 && $0.score > "x" }"#,
        ["TypedColumn<Int>", "String"]
      ),
      (
        #"Player.all().filter { $0.name == "y" && $0.score == "x" && $0.bonus == 3 }"#,
        ["TypedColumn<Int>", "String"]
      ),
      (#"Player.filter { $0.kind == "a" && $0.name == "x" }"#, ["TypedColumn<Kind>", "String"]),
      (#"Player.filter { $0.name == "x" && $0.score && $0.active }"#, ["'Int'", "'Bool'"]),
      (#"Player.filter { $0.active && $0.score < $0.name }"#, ["'Int'", "'String'"]),
    ]
    let errors = try errors(in: expressions.map(\.0), scopes: 90_000)
    #expect(errors.map(\.expression) == Array(expressions.indices))
    for (number, message) in errors {
      for name in expressions[number].1 {
        #expect(message.contains(name), "\(expressions[number].0)")
      }
    }
  }
}
