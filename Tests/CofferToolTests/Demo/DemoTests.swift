import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferToolKit

struct DemoTests {
  @Test func `the demo runs from the list of packages to the end`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("inventory.db")
    let output = Output()
    #expect(output.run("demo", "--status", dpkgStatusFixture, "--db", path) == 0)
    #expect(output.errorText == "")

    let text = output.text
    #expect(output.words.contains("60 packages, 154 dependencies and 77 virtual packages"))
    for number in 1...10 { #expect(text.contains("\n\(number)) ")) }
    let found = output.lines.filter { $0.contains(" of 5") }
    #expect(found.count { $0.contains(" 0 of 5") } == 2)
    #expect(found.count { $0.contains("dpkg's list") && $0.contains("5 of 5") } == 1)
    #expect(output.words.contains("The key is wrong"))
    #expect(output.words.contains("no key was given"))
    #expect(output.words.contains("It opens, and has 60 packages."))
    #expect(output.words.contains("an encrypted database"))
    // Plain lines: nothing that only a terminal understands.
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(output.lines.allSatisfy { $0.terminalWidth <= 100 || $0.contains(folder.path) })

    // The file is the only one in the folder, and opens with the passphrase shown.
    #expect(try folder.contents() == ["inventory.db"])
    let label = "  Its passphrase  "
    let line = try #require(output.lines.first { $0.hasPrefix(label) })
    let queue = try DatabaseQueue(
      path: path, key: .passphrase(String(line.dropFirst(label.count))))
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
  func `a terminal gets tables that fit it`(width: Int) {
    let output = Output()
    #expect(output.run("demo", "--status", dpkgStatusFixture, isTerminal: true, width: width) == 0)
    let tables = output.lines.filter { $0.contains("──") || $0.contains("…") }
    #expect(tables.count > 10)
    #expect(tables.allSatisfy { $0.terminalWidth <= width })
    #expect(output.text.contains("100 %"))
  }

  @Test func `a temporary file is gone with its folder`() throws {
    let output = Output()
    #expect(output.run("demo", "--status", dpkgStatusFixture) == 0)
    let path = try #require(Self.writtenPath(output))
    #expect(path.hasSuffix("/inventory.db"))
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
    #expect(output.text.contains("The file is deleted."))
  }

  @Test func `a temporary file that is to be kept stays`() throws {
    let output = Output()
    #expect(output.run("demo", "--keep", "--status", dpkgStatusFixture) == 0)
    let path = try #require(Self.writtenPath(output))
    defer {
      Leftovers.remove(path)
      Leftovers.remove((path as NSString).deletingLastPathComponent)
    }
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(output.text.contains("The file        \(path)"))
  }

  @Test func `a machine without a list of packages gets the fixture, and a note about it`() throws {
    let folder = try TemporaryDirectory()
    for machineStatus in [folder.path("status"), try folder.write("", to: "empty")] {
      let output = Output()
      try Demo.run(
        DemoFiles.Options(), console: output.console(), machineStatus: machineStatus)
      #expect(output.words.contains("This machine has no list of packages"))
      #expect(output.text.contains("Tests/Fixtures/dpkg-status"))
      #expect(output.text.contains("60 packages"))
    }
  }

  @Test func `odd packages are no trouble`() throws {
    let folder = try TemporaryDirectory()
    let status = try folder.write(
      "Package: x\u{1B}[2J\r\nStatus: install ok installed\r\nDepends: x, , y |\r\n"
        + "Description: \r\n .\r\n\r\nPackage: gone\nStatus: deinstall ok config-files\n"
        + "\nrubbish\n\nPackage: y\nStatus: install ok installed\nInstalled-Size: many",
      to: "status")
    let output = Output()
    #expect(output.run("demo", "--status", status) == 0)
    #expect(output.text.contains("2 packages"))
    #expect(output.words.contains("1 entry not installed"))
    #expect(!output.text.contains("\u{1B}"))
  }

  @Test func `a file that exists is left as it is`() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write("mine", to: "inventory.db-wal")
    let database = folder.path("inventory.db")
    let output = Output()
    #expect(output.run("demo", "--status", dpkgStatusFixture, "--db", database) == 73)
    #expect(output.errorText.contains("exists already"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    #expect(output.run("demo", "--status", dpkgStatusFixture, "--db", path) == 73)
    #expect(try folder.contents() == ["inventory.db-wal"])
  }

  @Test func `a file that can't be read or made is an error, and leaves no file`() throws {
    let folder = try TemporaryDirectory()
    let empty = try folder.write("no package here", to: "status")
    let database = folder.path("inventory.db")
    let output = Output()
    #expect(output.run("demo", "--status", folder.path("none"), "--db", database) == 66)
    #expect(output.run("demo", "--status", folder.path, "--db", database) == 66)
    #expect(output.run("demo", "--status", empty, "--db", database) == 65)
    #expect(
      output.run("demo", "--status", dpkgStatusFixture, "--db", folder.path("no/file")) == 73)
    #expect(try folder.contents() == ["status"])
    let errors = output.errorText
    #expect(errors.contains("none: No such file or directory"))
    #expect(errors.contains("Is a directory"))
    #expect(errors.contains("lists no installed package"))
    #expect(errors.contains("The folder doesn't exist"))
  }

  @Test func `passphrases are words, and not the same ones`() {
    #expect(DemoPassphrase.words.count == 256)
    #expect(Set(DemoPassphrase.words).count == 256)
    let passphrases = (0..<100).map { _ in DemoPassphrase.random() }
    #expect(Set(passphrases).count == 100)
    #expect(passphrases.allSatisfy { $0.split(separator: " ").count == 6 })
  }

  private static func writtenPath(_ output: Output) -> String? {
    let label = "  Writing     "
    return output.lines.first { $0.hasPrefix(label) }?.dropFirst(label.count)
      .split(separator: ",").first.map(String.init)
  }
}
