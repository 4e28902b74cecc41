import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// The format in Docs/Format.md, with its test vector, and the reader in Tests/Format.
struct ValueFormatTests {
  private let cipher: ValueCipher
  private let place = ValuePlace(table: "note", column: "body", row: 1)
  private static let vector = """
    4346455601001d543e5d26f41f10916d2cec3a1bcce4a0a1a2a3a4a5a6a7a8a9aaabcd13e49312f52203da3bea6b\
    f0f911dc63b8c1e29260363053bb0a
    """
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  init() throws { cipher = try ValueCipher(key: .raw([UInt8](0..<32))) }

  private func hex(_ bytes: some Sequence<UInt8>) -> String {
    SealedBytes.hexText(Array(bytes))
  }

  private func read(_ arguments: [String]) throws -> (status: CInt, output: String)? {
    guard Command.run("/usr/bin/env", ["python3", "--version"])?.status == 0 else { return nil }
    let script = Self.root.appendingPathComponent("Tests/Format/read_value.py").path
    return Command.run("/usr/bin/env", ["python3", script] + arguments)
  }

  @Test func `the test vector is what is written and read`() throws {
    let sealed = try cipher.seal("Grüße", at: place, nonce: [UInt8](0xA0...0xAB))
    let bytes = try #require(sealed.bytes)
    #expect(hex(bytes) == Self.vector)
    #expect(try cipher.open(sealed, at: place) == "Grüße")
    #expect(cipher.keyID == "1d543e5d26f41f10")
    #expect(
      hex(try cipher.indexHash(of: "ada@example.com", name: "person.email"))
        == "81e129eb7360eb552140dd7d59b9fec6b711a2859a58e872a8d18b58ac4b3df8")
  }

  @Test func `the document has the test vector`() throws {
    let document = Self.root.appendingPathComponent("Docs/Format.md")
    let text = try String(contentsOf: document, encoding: .utf8).filter { !$0.isWhitespace }
    #expect(text.contains(Self.vector))
  }

  @Test func `a program of another language reads what is written`() throws {
    let key = hex(0..<32)
    let id = UUID.seeded()
    let place = ValuePlace(table: "Note", column: "body", row: 7, "é", id)
    let values = [
      try #require(try cipher.seal("Grüße", at: place).bytes),
      try #require(try cipher.seal(Data([1, 2, 255]), at: place).bytes),
    ]
    let blob = hex(withUnsafeBytes(of: id.uuid) { Array($0) })
    let row = ["--row", "integer:7", "--row", "text:é", "--row", "blob:" + blob]
    let named = ["--key", key, "--table", "note", "--column", "body"]
    for (value, content) in zip(values, ["Gr\\u00fc\\u00dfe", "0102ff"]) {
      // Not where there is no Python.
      guard let output = try read([hex(value)] + named + row) else { return }
      #expect(output.status == 0, "\(output.output)")
      #expect(output.output.contains("\"value\": \"\(content)\""))
      #expect(output.output.contains("\"keyID\": \"\(cipher.keyID)\""))
    }
    let other = try read([hex(values[0])] + named + ["--row", "integer:8"])
    #expect(other?.output.contains("another place") == true)
    let wrong = try read([hex(values[0]), "--key", hex(1..<33)])
    #expect(wrong?.output.contains("another key") == true)
    var changed = values[0]
    changed[40] ^= 1
    #expect(try read([hex(changed)] + named + row)?.output.contains("damaged") == true)
  }
}
