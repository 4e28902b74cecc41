import Testing

@testable import CofferCore

@Suite struct TextWordsTests {
  private static let texts = [
    "", "a", "b", "name", "fifteen bytes!!", "sixteen bytes!!!", "a text with storage elsewhere",
    "ä", "日本語のとても長いテキスト", "\0", String(repeating: "x", count: 100_000),
  ]

  @Test func `a string is two words, on this toolchain`() {
    #expect(MemoryLayout<String>.size == MemoryLayout<TextWords>.size)
    #expect(MemoryLayout<String>.stride == 16)
    #expect(MemoryLayout<String>.alignment <= 16)
  }

  @Test(arguments: texts) func `copies of a string have its words`(_ text: String) {
    let copy = text
    #expect(TextWords(copy) == TextWords(text))
    #expect(!(TextWords(text) == .none))
    #expect(!(TextWords(text) == .unknown))
  }

  @Test func `different texts have different words`() {
    for (index, text) in Self.texts.enumerated() {
      for other in Self.texts[(index + 1)...] { #expect(!(TextWords(text) == TextWords(other))) }
    }
    #expect(!(TextWords.none == .unknown))
  }

  @Test func `texts of up to 15 bytes have the same words wherever they come from`() {
    for count in 0...15 {
      let text = String(repeating: "k", count: count)
      let other = String(decoding: Array(text.utf8), as: UTF8.self)
      #expect(TextWords(text) == TextWords(other))
    }
  }
}
