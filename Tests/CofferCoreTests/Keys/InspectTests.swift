import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

struct InspectTests {
  private func inspect(
    _ name: String, changing change: (inout [UInt8]) -> Void = { _ in }
  ) throws -> DatabaseFile.Inspection {
    try KeyFixtures.withCopy(of: name, changing: change) { DatabaseFile.inspect(at: $0) }
  }

  @Test(arguments: CipherFileTests.files.filter { $0.settings.plaintextHeaderSize == 0 })
  func `an encrypted file shows its salt and size`(file: CipherFileTests.File) throws {
    let bytes = try KeyFixtures.bytes(file.name)
    let inspection = try inspect(file.name)
    #expect(inspection.kind == .encryptedOrUnknown(salt: Array(bytes.prefix(16))))
    #expect(inspection.size == bytes.count)
    #expect(inspection.matchingPageSizes == [1024, 4096].filter { bytes.count % $0 == 0 })
    #expect(!inspection.hasWAL && !inspection.hasJournal)
  }

  @Test func `a plaintext file shows its header`() throws {
    guard case .plaintext(let header) = try inspect("keys-plain.db").kind else {
      Issue.record("not told")
      return
    }
    #expect(header.userVersion == 7)
    #expect(header.pageSize == 1024 || header.pageSize == 4096)
    #expect(header.pageCount.map { $0 * header.pageSize } == (try inspect("keys-plain.db").size))
    #expect(!header.usesWAL)
  }

  /// From some hundred tables on, the first page has only keys of other pages, and no text.
  @Test(arguments: [512, 1024, 4096, 65_536], [1, 40, 5_000])
  func `a plaintext file of any page size and number of tables is plaintext`(
    pageSize: Int, count: Int
  ) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA page_size = \(pageSize); PRAGMA journal_mode = OFF")
      try db.inTransaction {
        for number in 0..<count { try db.execute(sql: "CREATE TABLE t\(number) (a, b)") }
        return .commit
      }
    }
    try queue.close()
    guard case .plaintext(let header) = DatabaseFile.inspect(at: path).kind else {
      Issue.record("\(DatabaseFile.inspect(at: path))")
      return
    }
    #expect(header.pageSize == pageSize)
    try DatabaseFile.encrypt(at: path, to: folder.path("encrypted"), key: .seeded())
    #expect(DatabaseFile.inspect(at: path).kind == .plaintext(header))
  }

  @Test func `a plaintext header is not taken for a plaintext file`() throws {
    guard case .plaintextHeader(let header) = try inspect("keys-4-header.db").kind else {
      Issue.record("not told")
      return
    }
    #expect(header.pageSize == 4096)
  }

  @Test func `a file that is no database is recognized`() throws {
    #expect(DatabaseFile.inspect(at: "/tmp").kind == .directory)
    #expect(DatabaseFile.inspect(at: "/dev/null").kind == .special)
    #expect(DatabaseFile.inspect(at: "/nonexistent/file").kind == .missing)
    #expect(try inspect("keys-4.db") { $0 = [] }.kind == .empty)
    #expect(try inspect("keys-4.db") { $0 = Array($0.prefix(511)) }.kind == .tooShort)
    #expect(
      try inspect("keys-4.db") { $0 = [UInt8](repeating: 65, count: 9999) }.kind == .notADatabase)
    #expect(try inspect("keys-4.db") { $0 = Array($0.prefix(5000)) }.matchingPageSizes == [])
  }

  @Test func `the kind of another file is known by its first bytes`() throws {
    let samples: [(String?, [UInt8])] = [
      ("a JPEG image", [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8)),
      ("a GIF image", Array("GIF89a".utf8)), ("a PDF document", Array("%PDF-1.7".utf8)),
      ("a WebP image", Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBP".utf8)),
      ("an xz archive", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
      ("a zstd archive", [0x28, 0xB5, 0x2F, 0xFD]),
      ("a gzip archive", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]),
      ("a DuckDB database", [UInt8](repeating: 1, count: 8) + Array("DUCK".utf8)),
      ("the -wal file of a database", [0x37, 0x7F, 0x06, 0x82, 0x00, 0x2D, 0xE2, 0x18]),
      (nil, [0x1F, 0x8B]), (nil, [0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 1]), (nil, [0x50, 0x4B]),
    ]
    for (name, start) in samples {
      let found = try inspect("keys-4.db") { $0.replaceSubrange(0..<start.count, with: start) }
      #expect(found.fileType == name)
      #expect((found.kind == .notADatabase) == (name != nil))
      if let name { #expect(found.description.hasPrefix(name)) }
    }
    for text in ["root:x:0:0:root:/root:/bin/bash\n", "{}\r\n\t", "ü👍 überall "] {
      for count in [1, 100, 1000] {
        let bytes = Array(String(repeating: text, count: count).utf8)
        #expect(try inspect("keys-4.db") { $0 = bytes }.fileType == "text")
      }
    }
    for name in ["keys-4.db", "keys-3.db", "keys-plain.db", "keys-4-header.db"] {
      #expect(try inspect(name).fileType == nil)
    }
    #expect(try inspect("keys-4.db") { $0 = [UInt8](repeating: 0, count: 4096) }.fileType == nil)
  }

  @Test func `a WAL and a hot journal are found`() throws {
    try KeyFixtures.withCopy(of: "keys-4.db") { path in
      try Data([1]).write(to: URL(fileURLWithPath: path + "-wal"))
      try Data(count: 512).write(to: URL(fileURLWithPath: path + "-journal"))
      #expect(DatabaseFile.inspect(at: path).hasWAL)
      #expect(!DatabaseFile.inspect(at: path).hasJournal)
      try Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        .write(to: URL(fileURLWithPath: path + "-journal"))
      #expect(DatabaseFile.inspect(at: path).hasJournal)
      #expect(DatabaseFile.inspect(at: path).description.contains("unfinished transaction"))
    }
  }

  @Test func `a link's WAL is looked for beside its target`() throws {
    try KeyFixtures.withCopy(of: "keys-4.db") { path in
      try FileManager.default.createSymbolicLink(
        atPath: path + ".link", withDestinationPath: path)
      try Data([1]).write(to: URL(fileURLWithPath: path + "-wal"))
      #expect(DatabaseFile.inspect(at: path + ".link").hasWAL)
    }
  }

  @Test func `inspection changes nothing`() throws {
    try KeyFixtures.withCopy(of: "keys-4.db") { path in
      _ = DatabaseFile.inspect(at: path)
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names == ["file"])
      let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
      let original = try KeyFixtures.bytes("keys-4.db")
      #expect(bytes == original)
    }
  }
}
