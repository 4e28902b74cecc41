import Testing

@testable import CofferToolKit

struct TextTableTests {
  private var fruit: TextTable {
    var table = TextTable([.text("Fruit"), .number("Count"), .text("What it is")])
    table.append(["Apple", "1,000", "grows on trees"])
    table.append(["Fig", "7", "grows in the south"])
    return table
  }

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
  }

  @Test func `numbers are never cut`() {
    let lines = fruit.lines(width: 1)
    #expect(lines[2].contains(" 1,000 "))
  }

  @Test(arguments: 24...60)
  func `no line is wider than the terminal`(width: Int) {
    #expect(fruit.lines(width: width).allSatisfy { $0.terminalWidth <= width })
  }

  @Test func `missing cells are empty, and further ones are ignored`() {
    var table = TextTable([.text("A"), .number("B")])
    table.append(["x"])
    table.append(["x", "1", "y"])
    #expect(table.lines(width: 80) == ["A  B", "─  ─", "x", "x  1"])
  }

  @Test func `wide characters take two columns, and marks none`() {
    var table = TextTable([.text("Name"), .number("N")])
    table.append(["日本", "1"])
    table.append(["e\u{301}", "22"])
    #expect(
      table.lines(width: 80) == [
        "Name   N", "────  ──", "日本   1", "e\u{301}     22",
      ])
  }

  @Test func `a cell can't command the terminal`() {
    var table = TextTable([.text("Name")])
    table.append(["a\u{1B}[31m\nb\u{7}\u{9B}c\u{202E}d"])
    #expect(table.lines(width: 80).last == "a [31m b  cd")
  }
}

struct TextWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("né", 2), ("ne\u{301}", 2), ("日本", 4), ("한", 2), ("👍", 2),
    ("👩\u{200D}🔬", 2), ("❤\u{FE0F}", 2), ("…", 1), ("─", 1), ("\u{200B}", 0), ("Ｗ", 2),
  ])
  func `widths are those of a terminal`(text: String, width: Int) {
    #expect(text.terminalWidth == width)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""),
    ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("ab cdef", 4, "ab…"), ("", 0, ""),
  ])
  func `text is cut to a width`(text: String, width: Int, cut: String) {
    #expect(text.cut(to: width) == cut)
    #expect(text.cut(to: width).terminalWidth <= width)
  }

  @Test(arguments: [
    ("", 10, []), ("one two three", 7, ["one two", "three"]), ("one two", 7, ["one two"]),
    ("incomprehensibilities are", 5, ["incomprehensibilities", "are"]), ("  a   b ", 9, ["a b"]),
  ])
  func `text is broken at spaces`(text: String, width: Int, lines: [String]) {
    #expect(text.wrapped(to: width) == lines)
  }
}
