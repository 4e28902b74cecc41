import Testing

@testable import CofferToolKit

struct NumbersTests {
  @Test(arguments: [
    (0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000"),
    (-999, "-999"), (Int.max, "9,223,372,036,854,775,807"),
    (Int.min, "-9,223,372,036,854,775,808"),
  ])
  func `digits are grouped`(number: Int, text: String) {
    #expect(Numbers.grouped(number) == text)
  }

  @Test(arguments: [
    (0, 1, "0.0"), (1234.56, 1, "1,234.6"), (0.05, 2, "0.05"), (-0.04, 1, "0.0"),
    (-1.5, 1, "-1.5"), (9.99, 1, "10.0"), (2.5, 0, "3"), (.infinity, 1, "inf"),
  ])
  func `decimals are rounded`(number: Double, digits: Int, text: String) {
    #expect(Numbers.decimal(number, digits: digits) == text)
  }

  @Test func `units fit their numbers`() {
    #expect(Numbers.mebibytes(fromKibibytes: 1536) == "1.5 MiB")
    #expect(Numbers.time(.microseconds(1234)) == "1.2 ms")
    #expect(Numbers.time(.milliseconds(1250)) == "1.25 s")
    #expect(Numbers.count(1, "row") == "1 row")
    #expect(Numbers.count(0, "row") == "0 rows")
    #expect(Numbers.count(1200, "row") == "1,200 rows")
    #expect(Numbers.hex([0, 10, 255]) == "00 0a ff")
  }
}

struct ProgressBarTests {
  @Test func `outside of a terminal there are four plain lines`() {
    let output = Output()
    var bar = ProgressBar("Rows", total: 1000, console: output.console())
    for done in 1...1000 { bar.advance(to: done, note: "x") }
    bar.finish()
    #expect(output.lines == ["  Rows: 25 %", "  Rows: 50 %", "  Rows: 75 %", "  Rows: 100 %"])
  }

  @Test func `on a terminal the bar fits its line, fills, and goes`() {
    let output = Output()
    var bar = ProgressBar("Rows", total: 10, console: output.console(isTerminal: true, width: 60))
    for done in 1...10 { bar.advance(to: done, note: "\(done) rows and a note that is too long") }
    bar.finish()
    let states = output.text.split(separator: "\r")
    #expect(states.count >= 3)
    #expect(states.allSatisfy { $0.hasSuffix("\u{1B}[K") })
    #expect(states.allSatisfy { String($0.dropLast(3)).terminalWidth < 60 })
    #expect(states.dropLast().last?.contains("100 %") == true)
    #expect(states.last == "\u{1B}[K")
    #expect(!output.text.contains("\n"))
  }

  @Test func `an unknown total shows no percentage`() {
    let output = Output()
    var bar = ProgressBar("Rows", total: nil, console: output.console(isTerminal: true))
    bar.advance(to: 5, note: "5 rows")
    #expect(output.text.contains("5 rows"))
    #expect(!output.text.contains("%"))
  }
}
