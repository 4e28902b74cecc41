import CofferExpectations
import Foundation
import Testing

/// What the compiler says about programs that a newcomer writes.
@Suite(.enabled(if: Compiler.found != nil, "no Swift compiler next to the runtime"))
struct AdviceTests {
  private static let prelude = """
    import Coffer
    struct Player: Codable { var id: Int64?; var name: String }
    struct Known: Codable, FetchableRecord, MutablePersistableRecord { var id: Int64? }

    """

  /// The compiler's error for each statement, which is in a function of its own.
  private func errors(in statements: [String]) throws -> [String?] {
    let functions = statements.enumerated().map { number, statement in
      """
      func f\(number)(_ db: Database, _ player: Player, _ known: inout Known, _ text: String) throws \
      { \(statement) }
      """
    }
    let errors = try #require(Compiler.found).errorsByLine(
      in: Self.prelude + functions.joined(separator: "\n") + "\n", options: [])
    let first = Self.prelude.split(separator: "\n", omittingEmptySubsequences: false).count
    #expect(errors.keys.allSatisfy { $0 >= first })
    return statements.indices.map { errors[first + $0] }
  }

  @Test func `a string for a key leads to a passphrase or a key file`() throws {
    let errors = try errors(in: [
      #"_ = try DatabaseQueue(path: "a", key: "text")"#,
      #"_ = try DatabaseQueue(path: "a", key: text)"#,
      #"_ = try DatabasePool(path: "a", key: text, configuration: Configuration())"#,
      #"var c = Configuration(); c.key = "text""#,
    ])
    for error in errors {
      #expect(error?.contains(".passphrase(") == true && error?.contains(".file(path)") == true)
    }
  }

  @Test func `a missing conformance is named`() throws {
    let fetching = try errors(in: [
      "_ = try Player.fetchAll(db)", "_ = try Player.fetchOne(db, key: 1)",
      #"_ = try Player.fetchAll(db, sql: "SELECT 1")"#,
      #"_ = try Player.fetchOne(db, sql: "SELECT 1")"#,
    ])
    for error in fetching { #expect(error?.contains("FetchableRecord") == true) }
    let changing = try errors(in: [
      "try player.insert(db)", "try player.update(db)", "try player.save(db)",
      "try player.delete(db)",
    ])
    for error in changing { #expect(error?.contains("PersistableRecord") == true) }
  }

  @Test func `programs with keys and conformances compile`() throws {
    let errors = try errors(in: [
      #"_ = try DatabaseQueue(path: "a", key: .passphrase("text"))"#,
      #"_ = try DatabaseQueue(path: "a", key: .passphrase(text))"#,
      #"_ = try DatabasePool(path: "a", key: .file("key"), configuration: Configuration())"#,
      "_ = try Known.fetchAll(db)", "_ = try Known.fetchOne(db, key: 1)",
      #"_ = try Known.fetchAll(db, sql: "SELECT 1")"#,
      "try known.insert(db); try known.update(db); try known.save(db); _ = try known.delete(db)",
      "var set: Set<String> = []; set.insert(text); var list = [text]; list.insert(text, at: 0)",
    ])
    #expect(errors.allSatisfy { $0 == nil }, "\(errors)")
  }
}
