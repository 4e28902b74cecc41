import CofferTestSupport
import Testing

@testable import CofferToolKit

struct CommandTests {
  @Test(
    arguments: [
      (["inspect", "a"], "inspect", ["a"]),
      (["inspect", "--", "-a"], "inspect", ["-a"]),
      (["query", "a", "--mode", "box", "SELECT 1"], "query", ["a", "SELECT 1"]),
      (["query", "--mode=box", "a", "-"], "query", ["a", "-"]),
      (["--help"], "help", []),
      (["diff", "--frob", "-h"], "help", ["diff"]),
      (["help", "diff"], "help", ["diff"]),
      (["man"], "man", []),
      (["create", "a", "--slots"], "create", ["a"]),
      (["--version"], "version", []),
      (["/tmp"], "shell", ["/tmp"]),
      (["no.db"], "shell", ["no.db"]),
      (["--passphrase-file", "p", "no.db"], "shell", ["no.db"]),
    ] as [([String], String, [String])])
  func `arguments are understood`(words: [String], name: String, arguments: [String]) throws {
    let invocation = try Tool.parse(words)
    #expect(invocation.command.name == name)
    #expect(invocation.arguments == arguments)
  }

  @Test func `options have values, after a space or an equals sign`() throws {
    let export = try Tool.parse(["export", "a", "--output", "--sql", "--format=b=c"])
    #expect(export.value("output") == "--sql")
    #expect(export.value("format") == "b=c")
    #expect(!export.has("sql"))
    let query = try Tool.parse(["query", "a", "b", "--param", "x=1", "--param=y=2"])
    #expect(query.values("param") == ["x=1", "y=2"])
  }

  @Test(arguments: [
    [], [""], ["frob"], ["--frob"], ["man", "frob"], ["man", "--frob"],
    ["create", "a", "--slots=yes"], ["create", "a", "--label"], ["create", "a", "--label="],
    ["create", "a", "--label", ""], ["inspect"],
    ["inspect", "a", "b"], ["inspect", "--frob"], ["--version", "x"], ["query", "a"],
    ["query", "a", "b", "--mode", "csv", "--mode", "box"], ["help", "frob"],
    ["query", "a", "b", "--key", "6b6579"], ["query", "a", "b", "--passphrase", "p"],
  ])
  func `arguments that aren't understood give one line, and the code 2`(arguments: [String]) {
    let output = Output()
    #expect(Tool.run(arguments, console: output.console()) == 2)
    #expect(output.text == "")
    #expect(output.errorText.hasPrefix("coffer: "))
    #expect(output.errorText.filter { $0 == "\n" }.count == 1)
  }

  @Test(arguments: [
    (["qurey", "a", "b"], "did you mean query?"), (["query", "a", "b", "--mdoe", "x"], "--mode?"),
    (["shema", "a"], "did you mean schema?"), (["help", "improt"], "did you mean import?"),
    (["demo", "--keep"], "make demo"), (["help", "demo"], "Examples/Inventory"),
  ])
  func `a misspelled name is corrected`(arguments: [String], advice: String) {
    let output = Output()
    #expect(Tool.run(arguments, console: output.console()) == 2)
    #expect(output.errorText.contains(advice))
  }

  @Test func `help goes to the standard output and fits eighty columns`() {
    for arguments in [["--help"]] + Tool.commands.map({ ["help", $0.name] }) {
      let output = Output()
      #expect(Tool.run(arguments, console: output.console()) == 0)
      #expect(output.lines.allSatisfy { $0.count <= 80 }, "\(arguments)")
    }
  }

  @Test func `every command is in the help, the manual and the completions`() throws {
    let texts =
      [try Help.text(nil), ManPage.text] + (try ["bash", "zsh", "fish"].map(Completions.text))
    for command in Tool.commands {
      for word in command.name.split(separator: " ") {
        for text in texts { #expect(text.contains(word)) }
      }
      for option in command.options {
        #expect(try Help.text(command.name).contains("--" + option.name))
        #expect(try Completions.text(shell: "bash").contains("--" + option.name))
      }
    }
    #expect(throws: ToolError.self) { try Completions.text(shell: "tcsh") }
  }

  @Test func `the exit codes in the manual and the help are those of the tool`() throws {
    let known = Set(ToolError.Code.allCases.map { Int($0.rawValue) } + [0])
    let codes =
      ManPage.text.split(separator: ".SH EXIT STATUS").last?
      .split(separator: ".SH").first?.matches(of: /\.B ([0-9]+)/).compactMap { Int($0.1) } ?? []
    #expect(codes.count > 8)
    #expect(known.isSuperset(of: codes), "\(codes)")
    for command in Tool.commands {
      let told = command.details.matches(of: /(?:code|with) ([0-9]+)\b/).compactMap { Int($0.1) }
      #expect(known.isSuperset(of: told), "\(command.name): \(told)")
    }
  }

  @Test func `the version names the engine`() {
    let output = Output()
    #expect(output.run("--version") == 0)
    #expect(output.text.hasPrefix("coffer \(Tool.version) (SQLCipher "))
    #expect(output.text.contains(", SQLite 3."))
  }
}

struct InspectTests {
  @Test(arguments: [
    ("plain.db", ["not encrypted", "user_version    7", "Page size       4,096 bytes"]),
    ("plain-wal.db", ["not encrypted", "write-ahead log"]),
    ("v4-passphrase.db", ["an encrypted database", "Salt", "Only its key can tell more"]),
    ("v4-plaintext-header-32.db", ["plaintext header", "raw key and salt"]),
    ("README.md", ["is text"]),
  ])
  func `a file is described for a person`(name: String, words: [String]) {
    let output = Output()
    #expect(output.run("inspect", Fixtures.path(name)) == 0)
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
