import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

/// What Docs/Format.md says.
struct FreshnessFormatTests {
  private let keys: FreshnessKeys

  init() throws {
    let key = SecureBytes(copying: [UInt8](0..<32))
    keys = try FreshnessKeys(DerivedKey(key: key, salt: [UInt8](0xF0...0xFF)))
  }

  private static let file = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("../../../").standardizedFileURL

  /// The hexadecimal digits of the test vectors, without spaces and line ends.
  private func documented() throws -> String {
    try String(contentsOf: Self.file.appendingPathComponent("Docs/Format.md"), encoding: .utf8)
      .filter { !$0.isWhitespace }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private func tags(_ count: Int) -> [PageTag] {
    (1...count).map { page in
      let word = UInt64(page & 255) &* 0x0101_0101_0101_0101
      return PageTag(words: (word, word))
    }
  }

  @Test func `the keys are those of the test vectors`() throws {
    for key in [keys.seal, keys.root] {
      let bytes = key.withUnsafeBytes { Array($0) }
      #expect(try documented().contains(hex(bytes)))
    }
  }

  @Test(arguments: [3, 600])
  func `the root is that of the test vectors`(count: Int) throws {
    var pages = PageTags(tags(count), count: count, commit: 0)
    #expect(try documented().contains(hex(pages.root(keys))))
  }

  @Test func `the root of changed tags is the same as that of new ones`() throws {
    var random = SeededGenerator()
    for _ in 0..<50 {
      var pages = PageTags(tags(700), count: 700, commit: 0)
      for step in 1...20 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          let count = Int.random(in: 1...1_500, using: &random)
          pages.resize(to: count, commit: UInt32(step)) { PageTag(words: (UInt64($0), 1)) }
        case 1: pages.cut()
        case 2: _ = try pages.root(keys)
        default:
          let page = Int.random(in: 1...pages.storedCount, using: &random)
          pages.set(page, PageTag(words: (random.next(), 2)), commit: UInt32(step))
        }
      }
      var fresh = PageTags((1...pages.count).map { pages[$0] }, count: pages.count, commit: 0)
      #expect(try pages.root(keys) == fresh.root(keys))
    }
  }

  @Test func `a state is the bytes of the test vectors, and is read from them`() throws {
    var pages = PageTags(tags(3), count: 3, commit: 0)
    var state = FreshnessState(
      pageSize: 4096, salt: [UInt8](0xF0...0xFF), identity: [UInt8](0..<16))
    state.flags = .closed
    state.counter = 7
    state.commit = 5
    state.logCommit = 4
    state.pageCount = 3
    state.logSalts = [UInt8](1...8)
    state.base = [UInt8](repeating: 0xAA, count: 16)
    state.root = try pages.root(keys)
    let sealed = try SealedState(state, keys: keys)
    let text = try documented()
    #expect(text.contains(hex(Array(sealed.bytes[..<144]))))
    #expect(text.contains(hex(Array(sealed.bytes[144...]))))
    #expect(try SealedState(sealed.bytes, keys: keys)?.state == state)
  }

  @Test func `a reader in Python finds what Coffer has written`() throws {
    guard FileManager.default.fileExists(atPath: "/usr/bin/python3") else { return }
    let vault = try FreshVault()
    var configuration = try FreshVault.configuration(vault.anchor)
    configuration.cipher = .default
    configuration.seedRandomFunctions()
    let queue = try DatabaseQueue(path: vault.path, configuration: configuration)
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE t (text)")
      for _ in 0..<400 { try db.execute(sql: "INSERT INTO t VALUES (hex(randomblob(1500)))") }
    }
    try queue.close()
    let keyPath = vault.anchorFolder.path("key")
    try Data(FreshVault.hexKey.utf8).write(to: URL(fileURLWithPath: keyPath))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      Self.file.appendingPathComponent("Tests/Format/read_freshness.py").path,
      vault.path, vault.anchor.path, keyPath, "\(CipherSettings.default.reservedSize)",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let lines = text.split(separator: "\n")
    #expect(lines.first?.hasSuffix("frames 0 closed") == true, "\(text)")
    #expect(lines.count { $0.hasPrefix("record counter") } == 2, "\(text)")
    #expect(lines.suffix(2) == ["file matches", "table matches"], "\(text)")
  }
}
