import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import CofferCore

/// No key shows in anything that is printed, traced or logged.
@Suite struct RedactionTests {
  private static let passphrase = "PASSPHRASE-\u{E9}-7391"
  private static let raw = (0..<32).map { UInt8($0 * 7 + 3) }

  /// Every form in which a key might show: itself, digits, decimal bytes, Base64.
  private static func forms(_ bytes: [UInt8]) -> [String] {
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let decimals = bytes.prefix(6).map(String.init).joined(separator: ", ")
    return [hex, hex.uppercased(), decimals, Data(bytes).base64EncodedString()]
  }

  private func expectNothing(
    in text: String, derived: [UInt8] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var forms = Self.forms(Array(Self.passphrase.utf8)) + Self.forms(Self.raw)
    forms += [Self.passphrase, "PASSPHRASE"]
    if !derived.isEmpty { forms += Self.forms(derived) }
    for form in forms {
      #expect(!text.contains(form), "\(form)", sourceLocation: sourceLocation)
    }
  }

  /// All texts that Swift prints of a value.
  private func everything(about value: Any) -> String {
    var text = "\(value) \(String(reflecting: value)) \(String(describing: value)) "
    dump(value, to: &text, maxDepth: 12)
    func walk(_ value: Any, _ depth: Int) {
      guard depth < 8 else { return }
      for child in Mirror(reflecting: value).children {
        text += "\(child.label ?? "") \(child.value) "
        walk(child.value, depth + 1)
      }
    }
    walk(value, 0)
    return text
  }

  private static var keys: [DatabaseKey] {
    get throws {
      [
        .passphrase(passphrase), .passphrase(bytes: Array(passphrase.utf8)), try .raw(raw),
        try .raw(raw, salt: [UInt8](0..<16)),
      ]
    }
  }

  @Test func `the scan finds what a value shows`() {
    struct Careless { var inner: [String: String] }
    let text = everything(about: Careless(inner: ["a": Self.passphrase]))
    #expect(text.contains(Self.passphrase))
  }

  @Test func `neither keys nor configurations, queues, connections and errors show a key`() throws {
    let folder = try TemporaryDirectory()
    let other = folder.path("other")
    _ = try DatabaseQueue(path: other, key: .seeded())
    for (index, key) in try Self.keys.enumerated() {
      expectNothing(in: everything(about: key))
      var configuration = Configuration()
      configuration.key = key
      expectNothing(in: everything(about: configuration))
      let path = folder.path("db\(index)")
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
      try queue.inDatabase { db in
        let derived = db.keying.derived?.key.withUnsafeBytes { Array($0) } ?? []
        expectNothing(in: everything(about: db), derived: derived)
        expectNothing(in: everything(about: queue), derived: derived)
      }
      try queue.close()
      // Errors of every kind that opening with this key has.
      let plain = folder.path("plain")
      try DatabaseQueue(path: plain).write {
        try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (a)")
      }
      for target in [plain, folder.path, folder.path("no/db"), other] {
        do {
          _ = try DatabaseQueue(path: target, configuration: configuration)
        } catch {
          expectNothing(in: everything(about: error))
          expectNothing(in: (error as NSError).description)
        }
      }
    }
  }

  @Test func `wrong lengths and odd passphrases are not quoted`() throws {
    let long = Self.raw + [1]
    do { _ = try DatabaseKey.raw(long) } catch { expectNothing(in: everything(about: error)) }
    do { _ = try DatabaseKey.raw(Self.raw, salt: Self.raw) } catch {
      expectNothing(in: everything(about: error))
    }
  }

  @Test func `no trace and no log of SQLite's shows a key`() throws {
    let folder = try TemporaryDirectory()
    let seen = Mutex("")
    for (index, key) in try Self.keys.enumerated() {
      var configuration = Configuration()
      configuration.prepareDatabase { db in
        db.trace(options: [.statement, .profile]) { event in
          seen.withLock { $0 += "\(event) \(event.expandedDescription) " }
        }
      }
      if key.isPassphrase {
        configuration.prepareDatabase { try $0.usePassphrase(Self.passphrase) }
      } else {
        configuration.key = key
      }
      let queue = try DatabaseQueue(path: folder.path("db\(index)"), configuration: configuration)
      var derived: [UInt8] = []
      try queue.write { db in
        derived = db.keying.derived?.key.withUnsafeBytes { Array($0) } ?? []
        try db.execute(sql: "CREATE TABLE t (a)")
      }
      // The text is refused, since it would show the key; the error doesn't show it either.
      for sql in [
        "PRAGMA key = '\(Self.passphrase)'", "PRAGMA rekey = '\(Self.passphrase)'",
        "ATTACH '' AS x KEY '\(Self.passphrase)'", "PRAGMA key '\(Self.passphrase)'",
        "PRAGMA main.key = \"\(Self.passphrase)\"", "SELECT 1; PRAGMA key(\(Self.passphrase))",
        "ATTACH 'x' AS y KEY \(Self.passphrase)", "ATTACH 'x' AS y KEY '\(Self.passphrase)",
      ] {
        do {
          try queue.inDatabase { try $0.execute(sql: sql) }
          Issue.record("not refused")
        } catch { expectNothing(in: everything(about: error)) }
      }
      // The key is bound, and the statement fails all the same.
      do {
        try queue.inDatabase { db in
          try db.execute(
            sql: "ATTACH ? AS y KEY ?", arguments: [folder.path("no/such"), Self.passphrase])
        }
        Issue.record("attached")
      } catch let error as DatabaseError {
        expectNothing(in: everything(about: error) + error.expandedDescription)
      }
      try queue.close()
      expectNothing(in: seen.withLock(\.self), derived: derived)
    }
    #expect(seen.withLock(\.self).contains("CREATE TABLE t"))
  }

  /// In a child, since the log belongs to the whole process.
  @Test func `SQLite's own log shows no key`() throws {
    let folder = try TemporaryDirectory()
    let (status, lines, error) = try TestProcess.run(
      ["log", folder.path("db"), "PASSPHRASE-7391", "COFFER-LOGGED"])
    #expect(status == 0)
    let text = lines.joined(separator: "\n") + error
    #expect(lines.contains { $0.hasPrefix("log ") && $0.contains("COFFER-LOGGED") })
    #expect(text.contains("refused ATTACH"))
    #expect(!text.contains("PASSPHRASE"))
  }
}
