/// The options on the command line.
struct Options {
  var filter: String?
  var rows = 100_000
  var rounds = 15
  /// Where the figures, the picture and the tables go.
  var json: String?
  var chart: String?
  var tables: [String] = []
  /// The recorded runs to use instead of measuring.
  var sources: [String] = []
  var measuresGrowth = false
  /// Whether C and Coffer have all pages in their caches.
  var isCached = false
  /// Whether benchmarks are left out whose C runs in another process.
  var isLocal = false
  var growth: String?
  var scale = 1.0
  /// Whether this is the child that runs C's loops with SQLCipher's own cipher provider.
  var runsStockLoops = false

  static let usage = """
    usage: Benchmarks [--cached] [--local] [--filter TEXT] [--rows N] [--rounds N] [OUTPUT]…
           Benchmarks --growth [NAME] [--scale FACTOR] [OUTPUT]…
           Benchmarks --from FILE… OUTPUT…

    Measures Coffer against the same work in C on the same encrypted file.
      --cached        a selection, with all pages in the caches of both
      --local         none whose C runs in another process
      --filter TEXT   only benchmarks whose name contains TEXT
      --rows N        rows of the tables (100000)
      --rounds N      runs of each, C and Coffer in turn (15)

    Measures how costs grow with the amount of work.
      --growth [NAME] all of it, or one of \(growthNames)
      --scale FACTOR  multiplies all sizes (1)

    Uses recorded runs, and of several runs the medians.
      --from FILE     a file written by --json; can be repeated

    Output, besides the terminal:
      --json FILE     the figures
      --chart FILE    a picture of the ratios, in SVG
      --tables FILE   replaces the tables between the markers of a Markdown document; can be
                      repeated, and needs one --from whose path is that from the project's root
    """

  private static var growthNames: String {
    growthCases.map(\.name).joined(separator: ", ")
  }

  struct UsageError: Error {}

  init(_ arguments: [String]) throws {
    var arguments = arguments[...]
    while let argument = arguments.popFirst() {
      switch argument {
      case "--cached": isCached = true
      case "--local": isLocal = true
      case "--filter": filter = try Options.value(&arguments)
      case "--rows": rows = try Options.number(&arguments)
      case "--rounds": rounds = try Options.number(&arguments)
      case "--json": json = try Options.value(&arguments)
      case "--chart": chart = try Options.value(&arguments)
      case "--tables": tables.append(try Options.value(&arguments))
      case "--from": sources.append(try Options.value(&arguments))
      case "--growth":
        measuresGrowth = true
        if let name = arguments.first, !name.hasPrefix("--") {
          guard growthCases.contains(where: { $0.name == name }) else { throw UsageError() }
          growth = name
          arguments = arguments.dropFirst()
        }
      case "--scale":
        guard let factor = Double(try Options.value(&arguments)), factor > 0, factor <= 100
        else { throw UsageError() }
        scale = factor
      case StockLoops.option: runsStockLoops = true
      default: throw UsageError()
      }
    }
    if !tables.isEmpty, sources.count != 1 { throw UsageError() }
  }

  private static func value(_ arguments: inout ArraySlice<String>) throws -> String {
    guard let value = arguments.popFirst() else { throw UsageError() }
    return value
  }

  private static func number(_ arguments: inout ArraySlice<String>) throws -> Int {
    guard let number = Int(try value(&arguments)), number > 0 else { throw UsageError() }
    return number
  }
}
