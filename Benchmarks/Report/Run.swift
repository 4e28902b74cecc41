import Foundation

/// The figures of a recorded run, as its JSON file stores them.
package struct Run: Codable, Equatable, Sendable {
  /// The machine and the libraries that were measured.
  package struct Environment: Codable, Equatable, Sendable {
    /// The day of the run, as `YYYY-MM-DD`.
    package var date: String
    /// The processor's name, and the number of cores that the process can use.
    package var processor: String
    package var cores: Int
    /// What `PRAGMA cipher_version` and `PRAGMA cipher_provider` return.
    package var sqlcipher: String
    package var cipherProvider: String

    package init(
      date: String, processor: String, cores: Int, sqlcipher: String, cipherProvider: String
    ) {
      self.date = date
      self.processor = processor
      self.cores = cores
      self.sqlcipher = sqlcipher
      self.cipherProvider = cipherProvider
    }
  }

  package var environment: Environment
  /// The number of rows in the tables.
  package var rows: Int
  /// How often each loop was run in each process.
  package var rounds: Int
  /// The number of processes whose medians these figures are.
  package var runs: Int
  package var benchmarks: [Figure]
  package var allocations: [Allocations]
  package var limits: [Limit]
  package var growth: [Growth]
  /// Whether C and Coffer had all pages in their caches; nil for no.
  package var isCached: Bool?

  package init(environment: Environment, rows: Int, rounds: Int) {
    self.environment = environment
    self.rows = rows
    self.rounds = rounds
    runs = 1
    benchmarks = []
    allocations = []
    limits = []
    growth = []
  }

  enum CodingKeys: String, CodingKey {
    case environment, rows, rounds, runs, benchmarks, limits, growth
    case allocations = "allocations_per_row"
    case isCached = "cached"
  }

  /// Reads a JSON file.
  package init(contentsOf url: URL) throws {
    self = try JSONDecoder().decode(Run.self, from: Data(contentsOf: url))
  }

  /// Returns the contents of a JSON file, the same for equal figures.
  package func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }
}

/// The result of a benchmark.
package struct Figure: Codable, Equatable, Sendable {
  package var name: String
  /// The number of operations per run.
  package var count: Int
  /// The ratio to reach; nil for none.
  package var goal: Double?
  /// The time per operation in the median run, in nanoseconds; nil if C has no equivalent.
  package var floor: Double?
  package var library: Double
  /// The median and the quartiles of the ratios of neighboring runs.
  package var ratio: Double?
  package var lowerQuartile: Double?
  package var upperQuartile: Double?

  package init(name: String, count: Int, goal: Double?, floor: Double?, library: Double) {
    self.name = name
    self.count = count
    self.goal = goal
    self.floor = floor
    self.library = library
  }

  enum CodingKeys: String, CodingKey {
    case name, count, goal, ratio
    case floor = "floor_ns"
    case library = "library_ns"
    case lowerQuartile = "ratio_q1"
    case upperQuartile = "ratio_q3"
  }

  /// Whether the ratio, rounded as it is shown, reaches the goal; nil without one.
  package var meetsGoal: Bool? {
    guard let goal, let ratio else { return nil }
    return (ratio * 100).rounded() <= (goal * 100).rounded()
  }
}

/// The heap allocations per row of a cursor, beyond those of the C loop.
package struct Allocations: Codable, Equatable, Sendable {
  package var cursor: String
  package var count: Double

  package init(cursor: String, count: Double) {
    self.cursor = cursor
    self.count = count
  }
}

/// What the cryptography of a piece of work costs at least, and what the work takes.
package struct Limit: Codable, Equatable, Sendable {
  package var work: String
  /// The number of pages decrypted or encrypted per operation.
  package var pages: Double
  /// The time of the primitives for these pages, of C with the stock cipher, and of Coffer, all per
  /// operation in nanoseconds.
  package var primitives: Double
  package var stock: Double
  package var library: Double

  package init(
    work: String, pages: Double, primitives: Double, stock: Double, library: Double
  ) {
    self.work = work
    self.pages = pages
    self.primitives = primitives
    self.stock = stock
    self.library = library
  }

  enum CodingKeys: String, CodingKey {
    case work, pages
    case primitives = "primitives_ns"
    case stock = "stock_ns"
    case library = "library_ns"
  }
}

/// How a quantity changes with the amount of work.
package struct Growth: Codable, Equatable, Sendable {
  /// What a value of ``Growth/values`` is.
  package enum Quantity: String, Codable, Sendable {
    /// Nanoseconds per unit.
    case time
    /// Bytes per unit.
    case memory
    /// Bytes in total.
    case totalMemory = "total_memory"
    /// A number of things in total.
    case number
  }

  package var work: String
  /// What a value belongs to: "row", "table".
  package var unit: String
  /// What is counted; nil if it is the unit.
  package var sizeUnit: String?
  package var quantity: Quantity
  /// The sizes, in units, from small to large, and the value at each.
  package var counts: [Int]
  package var values: [Double]

  package init(
    work: String, unit: String, sizeUnit: String? = nil, quantity: Quantity, counts: [Int] = [],
    values: [Double] = []
  ) {
    self.work = work
    self.unit = unit
    self.sizeUnit = sizeUnit
    self.quantity = quantity
    self.counts = counts
    self.values = values
  }

  enum CodingKeys: String, CodingKey {
    case work, unit, quantity, counts, values
    case sizeUnit = "size_unit"
  }

  /// The last value divided by the first; nil if there is only one size, or the first is 0.
  package var factor: Double? {
    guard values.count > 1, let first = values.first, let last = values.last, first > 0
    else { return nil }
    return last / first
  }
}
