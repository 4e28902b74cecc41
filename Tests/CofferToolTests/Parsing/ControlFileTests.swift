import CofferTestSupport
import Testing

@testable import CofferToolKit

struct ControlFileTests {
  /// The values of field `A` of all paragraphs.
  private func valuesOfA(_ text: String, chunk: Int = 4096) throws -> [String?] {
    try paragraphs(Array(text.utf8), chunk: chunk).map { $0.text("A") }
  }

  private func paragraphs(_ bytes: [UInt8], chunk: Int = 4096) throws -> [ControlParagraph] {
    var reader = ControlFileReader(.bytes(bytes, chunk: chunk))
    var paragraphs: [ControlParagraph] = []
    while let paragraph = try reader.next() { paragraphs.append(paragraph) }
    #expect(reader.bytesConsumed == bytes.count)
    return paragraphs
  }

  @Test(
    arguments: [
      ("", []),
      ("\n\n \n\t\n", []),
      ("A: 1", ["1"]),
      ("A: 1\n", ["1"]),
      ("A: 1\n\n\n\nA: 2\n", ["1", "2"]),
      ("\n\nA: 1\n \t \nA: 2", ["1", "2"]),
      ("A: 1\r\n\r\nA: 2\r\n", ["1", "2"]),
      ("A:1", ["1"]),
      ("A \t: 1\nB: 2", [nil]),
      ("a: 1", ["1"]),
      ("A:\nB: 2", [nil]),
      ("A: 1\nA: 2", ["1"]),
      ("A: x:y: z", ["x:y: z"]),
      (": 1\nA: 2", ["2"]),
      ("A: one\n two\n\tthree", ["one two three"]),
      ("A: one\n# not this\n two", ["one two"]),
      ("A:\n one\n two", ["one two"]),
      ("no field\n nor this\nA: 1", ["1"]),
      ("A: 1\nno field\n nor this\nB: 2", ["1"]),
      (" lost\nA: 1", ["1"]),
      ("junk\n\nA: 1", ["1"]),
      ("AA: 1\nB: 2", [nil]),
      ("A: nul\0inside", ["nul\0inside"]),
    ] as [(String, [String?])])
  func `paragraphs and fields are found`(text: String, values: [String?]) throws {
    for chunk in [1, 2, 3, 7, 4096] {
      #expect(try valuesOfA(text, chunk: chunk) == values)
    }
  }

  @Test func `bytes that aren't UTF-8 are replaced`() throws {
    let paragraph = try #require(try paragraphs(Array("A: x".utf8) + [0xFF, 0xC3, 0x79]).first)
    #expect(paragraph.text("A") == "x\u{FFFD}\u{FFFD}y")
  }

  @Test func `empty lines of a field are kept apart from its end`() throws {
    let text = "A: first\n second\n .\n  third\nB: 1\n"
    let paragraph = try #require(try paragraphs(Array(text.utf8)).first)
    #expect(paragraph.lines("A") == ["first", "second", ".", "third"])
    #expect(paragraph.lines("B") == ["1"])
    #expect(paragraph.lines("C") == nil)
  }

  @Test func `a file without an end of line is refused before it fills the memory`() {
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    var reader = ControlFileReader(
      ByteSource(size: nil) { target in
        target += zeros
        return true
      })
    #expect(throws: ParagraphTooLong.self) { try reader.next() }
  }

  @Test func `a paragraph without an end is refused before it fills the memory`() {
    let line = "A: \(String(repeating: "x", count: 60))\n"
    let lines = Array(String(repeating: line, count: 1 << 14).utf8)
    var reader = ControlFileReader(
      ByteSource(size: nil) { target in
        target += lines
        return true
      })
    #expect(throws: ParagraphTooLong.self) { try reader.next() }
  }

  @Test func `an error thrown by the source reaches the caller`() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: FileError.self) { try ByteSource.file(folder.path("nothing")) }
    #expect(throws: FileError.self) { try ByteSource.file(folder.path) }
  }
}
