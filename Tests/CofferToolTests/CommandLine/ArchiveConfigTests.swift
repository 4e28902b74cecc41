import CofferTestSupport
import Foundation
import Testing

@testable import CofferToolKit

struct ArchiveConfigTests {
  private static let key = "key-file = /k\n"

  private func plan(_ text: String) throws -> ArchivePlan {
    try ArchivePlan(ArchiveConfigFile(text, path: "conf"))
  }

  @Test func `a section has its own settings, and else those of the defaults`() throws {
    let folder = try TemporaryDirectory()
    _ = try folder.write("x", to: "a.db")
    _ = try folder.write("x", to: "b.db")
    let text = """
      # Comments, and blanks around all.
      \t; another\r
      [defaults]
        keep-commits=2d
      key-file = /keys/{name}.key
      interval = 5

      [one]
      database = \(folder.path("a.db"))
      to = /mnt/{name}
      interval = 10
      [two]
      database = \(folder.path("b.db"))
      to = /mnt/b = c
      passphrase-command = printf '%s' "{name} = x"
      """
    let tasks = try plan(text).find().tasks
    #expect(tasks.map(\.target) == ["/mnt/one", "/mnt/b = c"])
    let one = try #require(tasks.first?.options)
    #expect(one["key-file"] == ["/keys/one.key"] && one["interval"] == ["10"])
    #expect(one["keep-commits"] == ["2d"])
    let two = try #require(tasks.last?.options)
    // One key is given, and not two.
    #expect(two["key-file"] == nil && two["interval"] == ["5"])
    #expect(two["passphrase-command"] == ["printf '%s' \"two = x\""])
    #expect(try tasks.last?.invocation.archiveConfiguration().interval == .seconds(5))
  }

  @Test(arguments: [
    ("key-file = /k", 1), ("[a]\n\nnothing", 3), ("[a\n", 1), ("[a b]", 1), ("[]", 1), ("[a]x", 1),
    ("[a]\nkey-file =", 2), ("[a]\nto = x\nto = y", 3), ("[a]\n[b]\n[a]", 3),
    ("[a]\ninterva = 3", 2), ("[a]\nonce = 1", 2), ("[a]\ntake-over = 7", 2),
    ("[a]\npassphrase-fd = 3", 2), ("[a]\nconfig = x", 2), ("[a]\n--to = x", 2),
    ("[a]\npassphrase = secret", 2), ("[a]\nsecret", 2), ("[secret", 1), ("[a]\nkey = secret", 2),
    ("[a]\nto = x\nkey-file = k", 1), ("[a]\ndatabase = x\nkey-file = k", 1),
    ("[a]\ndatabase = x\nto = y", 1), ("[a]\ndatabase = /*/*\nto = {name}\nkey-file = k", 2),
    ("[a]\nkey-file = k\ndatabase = /a/*\nto = x", 4),
    ("[a]\nkey-file = k\ndatabase = /a\nto = x/{nmae}", 4),
    ("[a]\nkey-file = k\ndatabase = /a\nto = x\nconnections = 0", 5),
    ("[a]\nkey-file = k\ndatabase = /a\nto = x\ninterval = soon", 1),
    ("[a]\nkey-file = k\ndatabase = /a\nto = ftp://x", 1),
    ("[a]\nkey-file = k\npassphrase-file = p\ndatabase = /a\nto = x", 1),
    ("[defaults]\ndatabase = /a\n[a]\nkey-file = k\nto = x\n", 2), ("[a]\nx\u{0}y = 1", 2),
    ("\u{FEFF}[a]", 1),
  ])
  func `what isn't understood is an error with its line`(text: String, line: Int) {
    let error = #expect(throws: ToolError.self) { try plan(text) }
    let words = error?.description ?? ""
    #expect(words.hasPrefix("conf:\(line): "), "\(words)")
    // A key that somebody has written there all the same isn't repeated.
    #expect(!words.contains("secret"))
  }

  @Test func `a file without a database is an error`() {
    for text in ["", "# nothing", "[defaults]\ninterval = 1\n"] {
      #expect(throws: ToolError.self) { try plan(text) }
    }
    #expect(throws: ToolError.self) { try ArchiveConfigFile(path: "/nonexistent") }
    #expect(throws: ToolError.self) { try ArchiveConfigFile(path: "/") }
    #expect(throws: ToolError.self) { try ArchiveConfigFile(path: "/dev/zero") }
  }

  @Test func `a pattern finds databases, and nothing else`() throws {
    let folder = try TemporaryDirectory()
    let names = [
      "a.db", "b.db", "a.db-wal", "a.db-keys", ".hidden.db", ".db", "c.db.coffer-partial",
      "it's.db",
      "ä.db", "-rf.db", "$(touch x).db",
    ]
    for name in names { _ = try folder.write("x", to: name) }
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: folder.path("folder.db"), withIntermediateDirectories: false)
    try manager.createSymbolicLink(
      atPath: folder.path("link.db"), withDestinationPath: folder.path("a.db"))
    let finding = try plan(
      "[t]\ndatabase = \(folder.path("*.db"))\nto = /mnt/x-{name}\n" + Self.key
    ).find()
    #expect(finding.tasks.map(\.path) == [folder.path("a.db"), folder.path("b.db")])
    #expect(finding.tasks.map(\.target) == ["/mnt/x-a", "/mnt/x-b"])
    // What can't stand in a path or a command is told.
    #expect(finding.problems.count == 4 && !finding.hasConflict, "\(finding.problems)")
    let all = try plan("[t]\ndatabase = \(folder.path("*"))\nto = /m/{name}\n" + Self.key).find()
    #expect(all.tasks.map(\.target) == ["/m/a.db", "/m/b.db"])
  }

  @Test func `a star can stand for a folder`() throws {
    let folder = try TemporaryDirectory()
    for name in ["one", "two", "three"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: false)
      if name != "two" { _ = try folder.write("x", to: name + "/data.db") }
    }
    let finding = try plan(
      "[t]\ndatabase = \(folder.path)/*/data.db\nto = s3x/{name}/a\n" + Self.key
    ).find()
    #expect(finding.tasks.map(\.target) == ["s3x/one/a", "s3x/three/a"])
    #expect(finding.problems.isEmpty)
  }

  @Test func `two databases never have one target, nor one database two`() throws {
    let folder = try TemporaryDirectory()
    for name in ["a", "b", "mnt"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: false)
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: folder.path("mnt"))
    _ = try folder.write("x", to: "a/x.db")
    _ = try folder.write("x", to: "b/x.db")
    func found(_ first: String, _ second: String, _ database: String = "b/*.db") throws -> Int {
      let text = """
        [one]
        database = \(folder.path("a/*.db"))
        to = \(first)
        key-file = k
        [two]
        database = \(folder.path(database))
        to = \(second)
        key-file = k
        """
      let finding = try plan(text).find()
      #expect(finding.hasConflict == (finding.tasks.count < 2))
      return finding.tasks.count
    }
    let mount = folder.path("mnt")
    #expect(try found("\(mount)/{name}", "\(mount)/2-{name}") == 2)
    for other in ["\(mount)/{name}", "\(mount)//{name}/", "\(mount)/./{name}"] {
      #expect(try found("\(mount)/{name}", other) == 1, "\(other)")
    }
    // By another path, of what doesn't exist yet.
    #expect(try found("\(mount)/{name}", folder.path("link") + "/{name}") == 1)
    #expect(try found("\(mount)/1-{name}", "\(mount)/2-{name}", "a/*.db") == 1)
    try FileManager.default.linkItem(atPath: folder.path("a/x.db"), toPath: folder.path("b/y.db"))
    #expect(try found("\(mount)/1-{name}", "\(mount)/2-{name}", "b/y.db") == 1)
  }

  @Test func `of two with one target, the one that is archived already keeps it`() throws {
    let folder = try TemporaryDirectory()
    _ = try folder.write("x", to: "a.db")
    _ = try folder.write("x", to: "b.db2")
    let plan = try plan(
      """
      [one]
      database = \(folder.path("*.db"))
      to = /m/{name}
      key-file = k
      [a]
      database = \(folder.path("b.db2"))
      to = /m/a
      key-file = k
      """)
    #expect(plan.find().tasks.map(\.path) == [folder.path("a.db")])
    let known = plan.find(known: [folder.path("b.db2")])
    #expect(known.tasks.map(\.path) == [folder.path("b.db2")])
    #expect(known.problems.count == 1)
  }

  @Test func `a folder that can't be read says nothing of its databases`() throws {
    let finding = try plan(
      "[t]\ndatabase = /nonexistent/*.db\nto = /m/{name}\n" + Self.key
    ).find()
    #expect(finding.tasks.isEmpty && finding.unknownSections == ["t"])
    #expect(finding.problems.count == 1)
  }
}
