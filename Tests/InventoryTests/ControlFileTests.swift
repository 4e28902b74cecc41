import Foundation
import Testing

@testable import Inventory

struct ControlFileTests {
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
  func `paragraphs and fields are found`(text: String, values: [String?]) {
    #expect(ControlFile(text).map { $0.text("A") } == values)
  }

  @Test func `bytes that aren't UTF-8 are replaced`() throws {
    let list = PackageList(
      path: "list",
      data: Data("Package: x".utf8) + [0xFF, 0xC3] + Data("y\nStatus: install ok installed".utf8))
    #expect(list.packages.map(\.name) == ["x\u{FFFD}\u{FFFD}y"])
  }

  @Test func `empty lines of a field are kept apart from its end`() throws {
    let text = "A: first\n second\n .\n  third\nB: 1\n"
    let paragraph = try #require(Array(ControlFile(text)).first)
    #expect(paragraph.lines("A") == ["first", "second", ".", "third"])
    #expect(paragraph.lines("B") == ["1"])
    #expect(paragraph.lines("C") == nil)
  }

  @Test func `the lines of a field that occurs twice are those of the first one`() throws {
    let paragraph = try #require(Array(ControlFile("A: 1\n 2\nA: 3\n 4\nB: 5")).first)
    #expect(paragraph.lines("A") == ["1", "2"])
    #expect(paragraph.lines("b") == ["5"])
  }
}
