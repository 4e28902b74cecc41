import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import Inventory

struct DemoTests {
  private static let list = Fixtures.path("dpkg-status")

  /// Runs all steps, and returns what they print.
  private func run(
    list: String = list, database: String? = nil, width: Int = 100
  ) throws -> Printed {
    let printed = Printed()
    try Demo.run(
      Options(list: list, database: database), output: printed.output(width: width))
    return printed
  }

  @Test func `the demo runs from the list of packages to the end`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("inventory.db")
    let printed = try run(database: path)

    let text = printed.text
    #expect(printed.words.contains("60 packages, 154 dependencies and 77 virtual packages"))
    for number in 1...10 { #expect(text.contains("\n\(number)) ")) }
    let found = printed.lines.filter { $0.contains(" of 5") }
    #expect(found.count { $0.contains(" 0 of 5") } == 2)
    #expect(found.count { $0.contains("dpkg's list") && $0.contains("5 of 5") } == 1)
    #expect(printed.words.contains("The key is wrong"))
    #expect(printed.words.contains("no key was given"))
    #expect(printed.words.contains("It opens, and has 60 packages."))
    #expect(printed.words.contains("an encrypted database"))
    #expect(printed.words.contains("LIMIT 3 name|size "))
    // Plain lines: nothing that only a terminal understands.
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(printed.lines.allSatisfy { $0.count <= 100 || $0.contains(folder.path) })
    #expect(printed.lines.allSatisfy { $0.last != " " })

    // The file is the only one in the folder, and opens with the passphrase shown.
    #expect(try folder.contents() == ["inventory.db"])
    let passphrase = try #require(printed.fact("Its passphrase"))
    let queue = try DatabaseQueue(path: path, key: .passphrase(passphrase))
    let names = try queue.read { db in
      try Set(String.fetchAll(db, sql: "SELECT name FROM package"))
    }
    #expect(names.count == 60)
    #expect(names.contains("libc6"))
    try queue.close()

    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for name in names where name.utf8.count >= 6 {
      #expect(bytes.range(of: Data(name.utf8)) == nil)
    }
  }

  @Test(arguments: [60, 80, 140])
  func `tables fit the terminal`(width: Int) throws {
    let printed = try run(width: width)
    let tables = printed.lines.filter { $0.contains("──") || $0.contains("…") }
    #expect(tables.count > 10)
    #expect(tables.allSatisfy { $0.count <= width })
  }

  @Test func `a temporary file is gone with its folder`() throws {
    let printed = try run()
    let path = try #require(printed.fact("Writing")?.split(separator: ",").first.map(String.init))
    #expect(path.hasSuffix("/inventory.db"))
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
    #expect(printed.text.contains("The file is deleted."))
  }

  @Test func `odd packages are no trouble`() throws {
    let folder = try TemporaryDirectory()
    let list = try folder.write(
      "Package: x\u{1B}[2J\r\nStatus: install ok installed\r\nDepends: x, , y |\r\n"
        + "Description: \r\n .\r\n\r\nPackage: gone\nStatus: deinstall ok config-files\n"
        + "\nrubbish\n\nPackage: y\nStatus: install ok installed\nInstalled-Size: many",
      to: "status")
    let printed = try run(list: list)
    #expect(printed.text.contains("2 packages"))
    #expect(printed.words.contains("1 entry not installed"))
    #expect(!printed.text.contains("\u{1B}"))
  }

  @Test(arguments: ["", "-wal", "-shm", "-journal"])
  func `a file that exists is left as it is`(suffix: String) throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write("mine", to: "inventory.db" + suffix)
    let error = try #require(throws: Failure.self) {
      try run(database: folder.path("inventory.db"))
    }
    #expect(error.description.contains("\(path) exists already"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    #expect(try folder.contents() == ["inventory.db" + suffix])
  }

  @Test func `a list that can't be read is an error, and leaves no file`() throws {
    let folder = try TemporaryDirectory()
    let database = folder.path("inventory.db")
    for (list, message) in [
      (folder.path("none"), "No such file or directory"), (folder.path, "Is a directory"),
      (try folder.write("no package here", to: "status"), "lists no installed package"),
      ("/dev/zero", "more than 64 MiB"),
    ] {
      let error = try #require(throws: Failure.self) { try run(list: list, database: database) }
      #expect(error.description.contains(list))
      #expect(error.description.contains(message))
    }
    #expect(try folder.contents() == ["status"])
  }

  @Test func `a file that can't be made is an error, and leaves no file`() throws {
    let folder = try TemporaryDirectory()
    let error = try #require(throws: DatabaseError.self) {
      try run(database: folder.path("no/file"))
    }
    #expect("\(error)".contains("The folder doesn't exist"))
    #expect(try folder.contents() == [])
  }

  @Test func `passphrases are letters, and not the same ones`() {
    let passphrases = (0..<100).map { _ in Demo.randomPassphrase() }
    #expect(Set(passphrases).count == 100)
    #expect(passphrases.allSatisfy { $0.wholeMatch(of: /([a-z]{4}-){5}[a-z]{4}/) != nil })
  }
}

/// The program, as it is built.
struct ProgramTests {
  private func run(_ arguments: String...) throws -> (status: CInt, output: String) {
    try #require(Command.run(TestProcess.program("Inventory").path, arguments))
  }

  @Test func `the program keeps a file where it is told to`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("inventory.db")
    let result = try run("--status", Fixtures.path("dpkg-status"), "--db", path)
    #expect(result.status == 0)
    #expect(result.output.contains("6. Done"))
    #expect(result.output.contains("The file        \(path)"))
    #expect(try folder.contents() == ["inventory.db"])
  }

  @Test func `a machine without a list is told to name one`() throws {
    let result = try run("--status", "/nonexistent/status")
    #expect(result.status == 1)
    #expect(
      result.output == """
        Inventory: /nonexistent/status: No such file or directory. Name dpkg's list of packages: \
        Inventory --status FILE

        """)
  }

  @Test func `a reader that ends early leaves no file`() throws {
    let folder = try TemporaryDirectory()
    let result = try shell(
      "TMPDIR=\(folder.path) $0 --status \(Fixtures.path("dpkg-status")) | head -n 1")
    #expect(result.output == "An encrypted inventory of the packages of a machine\n")
    #expect(try folder.contents() == [])
  }

  @Test func `a folder that can't be made is an error`() throws {
    let result = try shell("TMPDIR=/nonexistent $0 --status \(Fixtures.path("dpkg-status"))")
    #expect(result.status == 1)
    #expect(result.output.hasSuffix("Set TMPDIR to a folder for temporary files.\n"))
  }

  /// Runs a script, in which `$0` is the program.
  private func shell(_ script: String) throws -> (status: CInt, output: String) {
    try #require(
      Command.run("/bin/sh", ["-c", script, TestProcess.program("Inventory").path]))
  }

  @Test(arguments: ["--help", "-h"])
  func `help shows the options`(option: String) throws {
    let result = try run(option)
    #expect(result.status == 0)
    #expect(result.output.contains("--status FILE") && result.output.contains("--db FILE"))
  }

  @Test(arguments: [["frob"], ["--frob"], ["--db"], ["--status", ""], ["--db=x"]])
  func `options that aren't understood give one line, and the code 2`(arguments: [String]) throws {
    let result = try #require(Command.run(TestProcess.program("Inventory").path, arguments))
    #expect(result.status == 2)
    #expect(result.output.hasPrefix("Inventory: "))
    #expect(result.output.count { $0 == "\n" } == 1)
  }

  @Test func `options have values`() throws {
    #expect(try Options([String]()) == Options(list: "/var/lib/dpkg/status", database: nil))
    #expect(
      try Options(["--db", "--status", "--status", "b"]) == Options(list: "b", database: "--status")
    )
  }
}
