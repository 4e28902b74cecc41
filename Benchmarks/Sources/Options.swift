/// The options on the command line.
struct Options {
  var filter: String?
  var rows = 100_000
  var rounds = 15
  var json: String?

  static let usage = """
    usage: Benchmarks [--filter TEXT] [--rows N] [--rounds N] [--json FILE]

    Measures Coffer against the same work in C on the same encrypted file.
      --filter TEXT   only benchmarks whose name contains TEXT
      --rows N        rows of the tables (100000)
      --rounds N      runs of each, C and Coffer in turn (15)
      --json FILE     writes the figures to FILE as well
    """

  struct UsageError: Error {}

  init(_ arguments: [String]) throws {
    var arguments = arguments[...]
    while let argument = arguments.popFirst() {
      switch argument {
      case "--filter": filter = try Options.value(&arguments)
      case "--rows": rows = try Options.number(&arguments)
      case "--rounds": rounds = try Options.number(&arguments)
      case "--json": json = try Options.value(&arguments)
      default: throw UsageError()
      }
    }
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
