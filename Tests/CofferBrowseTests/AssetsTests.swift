import Testing

@testable import CofferBrowse

struct AssetsTests {
  @Test func `the script has at most 300 lines, and makes no markup of texts`() {
    let lines = Assets.script.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 300)
    for word in ["innerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
      #expect(!Assets.script.contains(word))
    }
  }

  @Test func `neither loads anything`() {
    for text in [Assets.script, Assets.styleSheet] {
      #expect(!text.contains("http") && !text.contains("@import") && !text.contains("url("))
    }
  }

  @Test func `the style sheet is for light, dark, narrow windows, print and little motion`() {
    for word in [
      "prefers-color-scheme: dark", "prefers-reduced-motion", "max-width: 640px", "@media print",
      ":focus-visible",
    ] {
      #expect(Assets.styleSheet.contains(word))
    }
    let (open, close) = (
      Assets.styleSheet.filter { $0 == "{" }.count, Assets.styleSheet.filter { $0 == "}" }.count
    )
    #expect(open == close)
  }
}
