import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import Inventory

struct SecrecyTests {
  @Test func `a file with readable text fails the demo`() throws {
    let printed = Printed()
    let error = try #require(throws: Failure.self) {
      try check(key: nil, passphrase: "any", output: printed.output())
    }
    #expect(error.description == "Readable text is in the -wal file and the database.")
    #expect(printed.words.contains("1 of 1, "))
  }

  @Test func `a common passphrase fails the demo`() throws {
    let error = try #require(throws: Failure.self) {
      try check(
        key: .passphrase("open sesame"), passphrase: "open sesame", output: Printed().output())
    }
    #expect(error.description == "With a wrong passphrase, the file could be read.")
  }

  private func check(key: DatabaseKey?, passphrase: String, output: Output) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("inventory.db")
    var configuration = Configuration()
    configuration.key = key
    configuration.journalMode = .wal
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try Schema.migrator.migrate(queue)
    _ = try queue.write { db in
      try InventoryWriter.write([InstalledPackage(name: "libc6-readable")], db)
    }
    try Secrecy(
      list: PackageList(path: "list", data: Data()), database: path, passphrase: passphrase,
      output: output
    ).check(queue)
  }
}
