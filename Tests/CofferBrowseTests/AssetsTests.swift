import Testing

@testable import CofferBrowse

struct AssetsTests {
  private static let script = String(decoding: PackageResources.browse_js, as: UTF8.self)
  private static let styleSheet = String(decoding: PackageResources.browse_css, as: UTF8.self)

  @Test func `the script has at most 300 lines, and makes no markup of texts`() {
    let lines = Self.script.split(separator: "\n", omittingEmptySubsequences: false)
    #expect((2...300).contains(lines.count))
    for word in ["innerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
      #expect(!Self.script.contains(word))
    }
  }

  @Test func `neither loads anything`() {
    for text in [Self.script, Self.styleSheet] {
      #expect(!text.contains("http") && !text.contains("@import") && !text.contains("url("))
    }
  }

  @Test func `the style sheet is for light, dark, narrow windows, print and little motion`() {
    for word in [
      "prefers-color-scheme: dark", "prefers-reduced-motion", "max-width: 640px", "@media print",
      ":focus-visible",
    ] {
      #expect(Self.styleSheet.contains(word))
    }
    let (open, close) = (
      Self.styleSheet.filter { $0 == "{" }.count, Self.styleSheet.filter { $0 == "}" }.count
    )
    #expect(open == close)
  }
}
