import Testing

@testable import CofferTool

struct CommandTests {
  @Test(
    arguments: [
      (["demo"], .demo(DemoFiles.Options())),
      (["demo", "--keep"], .demo(DemoFiles.Options(keepsDatabase: true))),
      (
        ["demo", "--db", "a", "--status=b=c"],
        .demo(DemoFiles.Options(status: "b=c", database: "a"))
      ),
      (["demo", "--db", "--keep"], .demo(DemoFiles.Options(database: "--keep"))),
      (["inspect", "a"], .inspect(path: "a")),
      (["inspect", "--", "-a"], .inspect(path: "-a")),
      (["--help"], .help),
      (["demo", "--keep", "-h"], .help),
      (["help"], .help),
      (["--version"], .version),
    ] as [([String], Command)])
  func `arguments are understood`(arguments: [String], command: Command) throws {
    #expect(try Command(arguments: arguments) == command)
  }

  @Test(arguments: [
    [], [""], ["frob"], ["--frob"], ["demo", "frob"], ["demo", "--frob"], ["demo", "--keep=yes"],
    ["demo", "--db"], ["demo", "--db="], ["demo", "--status", ""], ["inspect"],
    ["inspect", "a", "b"], ["inspect", "--frob"], ["--version", "x"],
  ])
  func `arguments that aren't understood give the usage, and the code 64`(arguments: [String]) {
    let output = Output()
    #expect(Tool.run(arguments, console: output.console()) == 64)
    #expect(output.text == "")
    #expect(output.errorText.hasPrefix("coffer: "))
    #expect(output.errorText.contains("coffer demo [--status FILE]"))
  }

  @Test func `help goes to the standard output and fits eighty columns`() {
    let output = Output()
    #expect(output.run("--help") == 0)
    #expect(output.text == Tool.usage)
    #expect(output.lines.allSatisfy { $0.count <= 80 })
  }

  @Test func `the version names the engine`() {
    let output = Output()
    #expect(output.run("--version") == 0)
    #expect(output.text.hasPrefix("coffer \(Tool.version) (SQLCipher "))
    #expect(output.text.contains(", SQLite 3."))
  }
}

struct InspectTests {
  private static let fixtures = dpkgStatusFixture.dropLast("dpkg-status".count)

  @Test(arguments: [
    ("plain.db", ["not encrypted", "user_version    7", "Page size       4,096 bytes"]),
    ("plain-wal.db", ["not encrypted", "write-ahead log"]),
    ("v4-passphrase.db", ["an encrypted database", "Salt", "Only its key can tell more"]),
    ("v4-plaintext-header-32.db", ["plaintext header", "raw key and salt"]),
    ("README.md", ["neither an SQLite database nor an encrypted file"]),
  ])
  func `a file is described for a person`(name: String, words: [String]) {
    let output = Output()
    #expect(output.run("inspect", Self.fixtures + name) == 0)
    for word in words { #expect(output.text.contains(word)) }
  }

  @Test func `a missing file is an error`() throws {
    let folder = try TemporaryDirectory()
    let output = Output()
    #expect(output.run("inspect", folder.path("none")) == 66)
    #expect(output.errorText.contains("no such file"))
    #expect(output.text == "")
    #expect(output.run("inspect", folder.path) == 0)
    #expect(output.text.contains("is a directory."))
  }
}
