import CofferTestSupport
import Foundation
import Testing

@testable import CofferDrawing

struct HTMLTests {
  @Test func `random texts are texts, in content and in attributes`() {
    var generator = SeededGenerator()
    let pieces = [
      "<", ">", "&", "\"", "'", "`", "=", "/", "-->", "<!--", "]]>", "<script>", "&lt;", "&#0;",
      "\u{0}",
      "\n", "\t", "\u{202E}", "\u{2066}", "\u{FEFF}", "javascript:", "é", "e\u{301}", "😀", " ",
    ]
    for _ in 0..<trialCount(500) {
      let value = (0..<Int.random(in: 0...12, using: &generator))
        .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
      let text = HTML.element("p", ["title": value]) { value }.render()
      let bare = text.dropFirst(2).dropLast(4)
      // Nothing but the element itself begins or ends.
      #expect(bare.filter { $0.unicodeScalars.contains("<") }.isEmpty)
      #expect(bare.unicodeScalars.filter { $0 == ">" }.count == 1)
      #expect(text.unicodeScalars.filter { $0 == "\"" }.count == (value.isEmpty ? 0 : 2))
      #expect(!text.unicodeScalars.contains("\u{0}") && !text.unicodeScalars.contains("'"))
      #expect(
        Self.unescaped(text)
          == "<p\(value.isEmpty ? " title" : " title=\"\(Self.shown(value))\"")>\(Self.shown(value))</p>"
      )
    }
  }

  /// The value as a parser of HTML gets it.
  private static func shown(_ value: String) -> String {
    String(
      String.UnicodeScalarView(value.unicodeScalars.map { $0 == "\u{0}" ? "\u{FFFD}" : $0 }))
  }

  private static func unescaped(_ text: String) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
      .reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1, options: .literal) }
  }

  @Test func `an attribute that is nil is left out`() {
    #expect(
      HTML.element("input", ["id": nil, "name": "a", "checked": ""]).render()
        == "<input name=\"a\" checked>")
  }
}
