import Testing

@testable import Inventory

struct OutputTests {
  @Test func `columns line up, numbers at the right`() {
    #expect(
      fruit.lines(width: 80) == [
        "Fruit  Count  What it is",
        "─────  ─────  ──────────────────",
        "Apple  1,000  grows on trees",
        "Fig        7  grows in the south",
      ])
  }

  @Test func `the widest text is cut where there is no room`() {
    #expect(
      fruit.lines(width: 25) == [
        "Fruit  Count  What it is",
        "─────  ─────  ───────────",
        "Apple  1,000  grows on t…",
        "Fig        7  grows in t…",
      ])
    #expect(fruit.lines(width: 1)[2].contains(" 1,000 "))
  }

  private var fruit: TextTable {
    var table = TextTable([.text("Fruit"), .number("Count"), .text("What it is")])
    table.append(["Apple", "1,000", "grows on trees"])
    table.append(["Fig", "7", "grows in the south"])
    return table
  }

  @Test func `text can't command the terminal`() {
    let printed = Printed()
    printed.output().line("a\u{1B}[31m\nb\u{7}\u{9B}c\u{202E}d")
    #expect(printed.text == "a [31m b  c d\n")
  }

  @Test(arguments: [
    ("", 10, []), ("one two three", 7, ["one two", "three"]), ("one two", 7, ["one two"]),
    ("incomprehensibilities are", 5, ["incomprehensibilities", "are"]), ("  a   b ", 9, ["a b"]),
  ])
  func `text is broken at spaces`(text: String, width: Int, lines: [String]) {
    #expect(text.wrapped(to: width) == lines)
  }

  @Test func `facts line up, and are broken beside their terms`() {
    let printed = Printed()
    printed.output(width: 20).facts([("A term", "one two three"), ("B", "four")])
    #expect(printed.text == "  A term  one two\n          three\n  B       four\n")
  }

  @Test func `numbers are for people`() {
    #expect(1.counting("entry", "entries") == "1 entry")
    #expect(0.counting("entry", "entries") == "0 entries")
    #expect(1200.counting("row") == "1,200 rows")
    #expect(1536.asMebibytes == "1.5 MiB")
    #expect(1234.56.text() == "1,234.6")
    #expect(Duration.microseconds(1234).text == "1.2 ms")
  }
}
