@testable import BenchmarkReport
import CofferTestSupport
import Foundation
import FoundationXML
import Testing

/// Returns a run with ratios for benchmarks, of the main table by default.
private func makeRun(
  _ ratios: [String: Double], goal: Double? = 1.05, processor: String = "a processor"
) -> Run {
  var run = Run(
    environment: .init(
      date: "2026-11-22", processor: processor, cores: 2, sqlcipher: "4.6.1 community",
      cipherProvider: "openssl"),
    rows: 1_000, rounds: 3)
  run.benchmarks = ratios.sorted { $0.key < $1.key }.map { name, ratio in
    var figure = Figure(name: name, count: 10, goal: goal, floor: 100, library: 100 * ratio)
    (figure.ratio, figure.lowerQuartile, figure.upperQuartile) = (ratio, ratio, ratio)
    return figure
  }
  return run
}

private let cursor = "cursor, 10 integer columns by index"

// MARK: - Runs

@Suite struct RunTests {
  @Test func `a run reads back what it has written`() throws {
    var run = makeRun([cursor: 1.01])
    run.benchmarks.append(Figure(name: "no floor", count: 1, goal: nil, floor: nil, library: 3))
    run.allocations = [Allocations(cursor: "by index", count: 0.25)]
    run.limits = [Limit(work: "scan", pages: 2, primitives: 1, stock: 3, library: 2)]
    run.growth = [
      Growth(work: "w", unit: "row", quantity: .time, counts: [1, 10], values: [2, 3])
    ]
    let data = try run.json()
    #expect(try JSONDecoder().decode(Run.self, from: data) == run)
    #expect(try run.json() == data)
  }

  @Test func `a file that isn't a run is refused`() throws {
    let directory = try TemporaryDirectory()
    for text in ["", "{", "[]", #"{"rows": 1}"#] {
      let url = URL(fileURLWithPath: directory.path("run.json"))
      try Data(text.utf8).write(to: url)
      #expect(throws: DecodingError.self) { try Run(contentsOf: url) }
    }
  }

  @Test func `one slow process doesn't change the median`() {
    let run = Run.median(of: [1.01, 9.0, 1.03].map { makeRun([cursor: $0]) })
    #expect(run.benchmarks.map(\.ratio) == [1.03])
    #expect(run.benchmarks.map(\.library) == [103])
    #expect(run.runs == 3)
  }

  @Test func `a benchmark that only some runs have keeps its figures`() {
    let run = Run.median(of: [makeRun([cursor: 1, "b": 2]), makeRun([cursor: 3])])
    #expect(run.benchmarks.map(\.name).sorted() == ["b", cursor])
    #expect(run.benchmarks.first { $0.name == "b" }?.ratio == 2)
    #expect(run.benchmarks.first { $0.name == cursor }?.ratio == 2)
  }

  @Test func `growth is that of the last run that measured it`() {
    func run(_ work: String, _ value: Double) -> Run {
      var run = makeRun([:])
      run.growth = [
        Growth(work: work, unit: "row", quantity: .time, counts: [1], values: [value])
      ]
      return run
    }
    let growth = Run.median(of: [run("a", 1), run("b", 2), run("a", 3)]).growth
    #expect(growth.map(\.work) == ["a", "b"])
    #expect(growth.map(\.values) == [[3], [2]])
  }

  @Test(arguments: [(1.05, true), (1.0549, true), (1.0551, false), (0.2, true), (7, false)])
  func `a goal is met by the ratio that is shown`(_ ratio: Double, _ isMet: Bool) {
    #expect(makeRun([cursor: ratio]).benchmarks[0].meetsGoal == isMet)
    #expect(makeRun([cursor: ratio], goal: nil).benchmarks[0].meetsGoal == nil)
  }
}

// MARK: - Tables

@Suite struct TablesTests {
  private func lines(_ run: Run, _ name: String) throws -> [String] {
    try #require(Tables(run, source: "run.json").lines(of: name))
  }

  @Test func `a row has the goal, the ratio, the verdict and GRDB's ratio`() throws {
    let met = try lines(makeRun([cursor: 1.04]), "main")
    #expect(met[0] == "| work | goal | Coffer | met | GRDB |")
    #expect(met[2] == "| \(cursor) | ≤ 1.05 | 1.04 | yes | 1.37 |")
    let missed = try lines(makeRun([cursor: 1.06]), "main")
    #expect(missed[2] == "| \(cursor) | ≤ 1.05 | 1.06 | **missed** | 1.37 |")
  }

  @Test func `a benchmark that wasn't measured has no figures`() throws {
    #expect(try lines(makeRun([:]), "main")[2] == "| \(cursor) | – | – | – | 1.37 |")
  }

  @Test func `a benchmark of no table is listed among the others`() throws {
    let others = try lines(makeRun(["a new | one": 1.2, cursor: 1], goal: nil), "others")
    #expect(others.dropFirst(2) == ["| a new \\| one | – | 1.20 | – | 120 ns |"])
  }

  @Test func `missed goals are named`() throws {
    let run = makeRun([cursor: 1.5, "b": 1.0])
    #expect(try lines(run, "missed").last == "- \(cursor): 1.50, goal 1.05")
    #expect(try lines(run, "recorded")[0].hasSuffix("The run meets 1 of the 2 goals."))
    #expect(try lines(makeRun([cursor: 1]), "missed") == ["The run misses no goal."])
  }

  @Test func `growth has both sizes and the factor`() throws {
    var run = makeRun([:])
    run.growth = [
      Growth(
        work: "cursor", unit: "row", quantity: .time, counts: [1_000_000, 10_000_000],
        values: [100, 150]),
      Growth(work: "peak", unit: "row", quantity: .totalMemory, counts: [1], values: [0]),
      Growth(
        work: "lookup", unit: "lookup", sizeUnit: "page", quantity: .time, counts: [10],
        values: [5]),
    ]
    #expect(
      try lines(run, "growth").dropFirst(2) == [
        "| cursor | 1,000,000 rows: 100 ns per row | 10,000,000 rows: 150 ns per row | 1.50 |",
        "| peak | 1 row: 0.00 B | – | – |",
        "| lookup | 10 pages: 5.00 ns per lookup | – | – |",
      ])
  }

  @Test(arguments: [
    (0, "0"), (7, "7"), (999, "999"), (1_000, "1,000"), (-12_345, "-12,345"),
    (Int.max, "9,223,372,036,854,775,807"), (Int.min, "-9,223,372,036,854,775,808"),
  ])
  func `digits of a count are grouped`(_ count: Int, _ text: String) {
    #expect(Format.count(count) == text)
  }

  @Test(arguments: [
    (0.5, "0.50 ns"), (12.34, "12.3 ns"), (1_500, "1.50 µs"), (2e6, "2.00 ms"), (61e9, "61.0 s"),
  ])
  func `times have a suitable unit`(_ nanoseconds: Double, _ text: String) {
    #expect(Format.time(nanoseconds) == text)
  }
}

// MARK: - Documents

@Suite struct MarkedDocumentTests {
  @Test func `only blocks between markers change`() throws {
    let text = """
      # Title
      | a | ≤ 1 |
      <!-- figures: main, old.json -->
      anything
      <!-- end of figures -->

      end

      """
    var document = try MarkedDocument(text)
    #expect(document.text == text)
    document.fill(from: makeRun([cursor: 1.02]), at: "Docs/Benchmarks/new.json", in: "README.md")
    let lines = document.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.prefix(2) == ["# Title", "| a | ≤ 1 |"])
    #expect(lines.suffix(4) == ["<!-- end of figures -->", "", "end", ""])
    #expect(document.blocks[0].path == "Docs/Benchmarks/new.json")
    #expect(!document.text.contains("anything"))
    let again = document.text
    document.fill(from: makeRun([cursor: 1.02]), at: "Docs/Benchmarks/new.json", in: "README.md")
    #expect(document.text == again)
  }

  @Test func `growth and benchmarks are filled by the runs that measured them`() throws {
    let text = """
      <!-- figures: growth, a -->
      <!-- end of figures -->
      <!-- figures: main, b -->
      <!-- end of figures -->
      """
    var document = try MarkedDocument(text)
    document.fill(from: makeRun([cursor: 1]), at: "new", in: "x.md")
    #expect(document.blocks.map(\.path) == ["a", "new"])
    #expect(document.blocks[0].lines == [])
    var growth = makeRun([:])
    growth.growth = [Growth(work: "w", unit: "row", quantity: .time, counts: [1], values: [1])]
    document.fill(from: growth, at: "grown", in: "x.md")
    #expect(document.blocks.map(\.path) == ["grown", "new"])
  }

  @Test(arguments: [
    "<!-- figures: nonsense, a.json -->\n<!-- end of figures -->",
    "<!-- figures: main, a.json -->\ntext",
    "<!-- figures: main, a.json -->\n<!-- figures: main, a.json -->\n<!-- end of figures -->",
  ])
  func `wrong markers are refused`(_ text: String) {
    #expect(throws: MarkedDocument.Failure.self) { try MarkedDocument(text) }
  }

  @Test(arguments: [
    ("README.md", "Docs/Benchmarks/run.json"), ("Docs/Performance.md", "Benchmarks/run.json"),
    ("Docs/api/x/a.md", "../../Benchmarks/run.json"), ("Other/a.md", "../Docs/Benchmarks/run.json"),
  ])
  func `a link leads from the document to the run`(_ document: String, _ link: String) {
    #expect(
      MarkedDocument.relativePath(of: "Docs/Benchmarks/run.json", from: document) == link)
  }
}

// MARK: - Pictures

@Suite struct ChartTests {
  /// Collects what a parser of XML sees.
  private final class Elements: NSObject, XMLParserDelegate {
    var found: [(name: String, attributes: [String: String])] = []
    var text = ""

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      found.append((name, attributes))
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
  }

  private func elements(_ svg: String) throws -> Elements {
    let elements = Elements()
    let parser = XMLParser(data: Data(svg.utf8))
    parser.delegate = elements
    try #require(parser.parse(), "\(String(describing: parser.parserError))")
    return elements
  }

  @Test func `the picture is XML that loads nothing and runs nothing`() throws {
    let svg = Chart(makeRun([cursor: 1.04, "Cipher: full scan": 0.8])).svg
    let elements = try elements(svg)
    let known: Set = ["svg", "title", "desc", "style", "rect", "line", "text"]
    #expect(Set(elements.found.map(\.name)).isSubset(of: known))
    for (_, attributes) in elements.found {
      #expect(!attributes.keys.contains { $0.hasPrefix("on") || $0.hasSuffix("href") })
    }
    for word in ["url(", "@import", "@font-face", "<!DOCTYPE", "<!ENTITY"] {
      #expect(!svg.contains(word), "\(word)")
    }
    #expect(svg.contains("prefers-color-scheme: dark"))
  }

  @Test func `text can't break out of its element`() throws {
    let processor = "a \"<script>alert('1')</script>\" & ]]> --> \u{0}\u{1}\u{FFFE}é🙂"
    let elements = try elements(Chart(makeRun([cursor: 1], processor: processor)).svg)
    #expect(!elements.found.contains { $0.name == "script" })
    #expect(elements.text.contains("a \"<script>alert('1')</script>\" & ]]> --> é🙂"))
  }

  @Test(arguments: [0, 0.001, 1, 2.999, 3, 13.2, 1e300, -1])
  func `bars stay inside the picture`(_ ratio: Double) throws {
    let elements = try elements(Chart(makeRun([cursor: ratio])).svg)
    let width = try #require(elements.found.first?.attributes["width"].flatMap(Double.init))
    for (name, attributes) in elements.found where name == "rect" {
      let x = try #require(attributes["x"].flatMap(Double.init))
      let length = try #require(attributes["width"].flatMap(Double.init))
      #expect(x >= 0 && length >= 0 && x + length < width)
    }
  }

  @Test func `a missed goal looks different from one that is met`() throws {
    func kinds(_ ratio: Double) throws -> [String] {
      try elements(Chart(makeRun([cursor: ratio])).svg).found.filter { $0.name == "rect" }
        .dropFirst(3).compactMap { $0.attributes["class"] }
    }
    #expect(try kinds(1.05) == ["coffer", "grdb"])
    #expect(try kinds(1.06) == ["missed", "grdb"])
  }

  @Test func `a run without figures gives a picture without bars`() throws {
    let elements = try elements(Chart(makeRun([:])).svg)
    // Those of the legend.
    #expect(elements.found.filter { $0.name == "rect" }.count == 3)
  }
}
