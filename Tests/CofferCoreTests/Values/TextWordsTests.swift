import Foundation
import Testing

@testable import CofferCore

/// What fails here was changed by a new compiler: see `TextWords`, where the source is named.
@Suite("The words of a text") struct TextWordsTests {
  private static let texts = [
    "", "a", "fifteen letters", "sixteen letters!", "a text that isn't stored in place", "é", "\0",
    String(repeating: "\0", count: 15), String(repeating: "\u{7F}", count: 15),
    String(repeating: "long ", count: 1000),
  ]

  @Test func `a string is two words`() {
    #expect(MemoryLayout<String>.size == 16)
    #expect(MemoryLayout<TextWords>.size == 16)
  }

  @Test(arguments: texts)
  func `no text has the words that stand for none`(text: String) {
    #expect(TextWords(text) != .none)
    #expect(TextWords(text) != .never)
  }

  @Test func `a text has the same words as long as it lives, and another one others`() {
    for text in Self.texts {
      let copy = text
      #expect(TextWords(copy) == TextWords(text))
      for other in Self.texts where other != text {
        #expect(TextWords(other) != TextWords(text))
      }
    }
  }

  @Test func `a short text that is made anew has the same words`() {
    let made = ["sc", "ore"].joined()
    #expect(TextWords(made) == TextWords("score"))
  }
}
