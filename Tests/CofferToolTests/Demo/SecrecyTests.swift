import Coffer
import CofferTestSupport
import Testing

@testable import CofferToolKit

struct SecrecyTests {
  @Test func `a file with readable text fails the demo`() throws {
    let folder = try TemporaryDirectory()
    let files = try DemoFiles(
      DemoFiles.Options(status: dpkgStatusFixture, database: folder.path("plain.db")))
    defer { files.cleanUp(isComplete: false) }
    let output = Output()
    let error = try #require(throws: ToolError.self) {
      try Secrecy(files: files, passphrase: "any", console: output.console())
        .check(try inventory(at: files.database, configuration: Configuration()))
    }
    #expect(error.code == .failed)
    #expect(error.description.contains("Readable text is in \(files.database)"))
    #expect(output.words.contains("1 of 1, "))
  }

  @Test func `a common passphrase fails the demo`() throws {
    let folder = try TemporaryDirectory()
    let files = try DemoFiles(
      DemoFiles.Options(status: dpkgStatusFixture, database: folder.path("weak.db")))
    defer { files.cleanUp(isComplete: false) }
    var configuration = Configuration()
    configuration.key = .passphrase("open sesame")
    let error = try #require(throws: ToolError.self) {
      try Secrecy(files: files, passphrase: "open sesame", console: Output().console())
        .check(try inventory(at: files.database, configuration: configuration))
    }
    #expect(error.code == .failed)
    #expect(error.description == "With a wrong passphrase, the file could be read.")
  }

  private func inventory(at path: String, configuration: Configuration) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { db in
      try Inventory.createTables(db)
      var writer = Inventory.Writer(db)
      try writer.add(InstalledPackage(name: "libc6-readable"))
      try writer.finish()
    }
    return queue
  }
}
