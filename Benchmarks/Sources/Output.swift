import BenchmarkReport
import Coffer
import Foundation

/// Measures all benchmarks that the options select, and prints their figures.
func measureBenchmarks(_ options: Options) throws -> Run {
  let fixture = try Fixture(rows: options.rows, isCached: options.isCached)
  var run = Run(environment: try .current(), rows: options.rows, rounds: options.rounds)
  if options.isCached { run.isCached = true }
  let cipher = try CipherFixture(in: fixture)
  print(Report.header)
  for var benchmark in try coreBenchmarks(fixture) + cipherBenchmarks(cipher) {
    if let filter = options.filter, !benchmark.name.contains(filter) { continue }
    if options.isLocal, benchmark.remoteFloor != nil { continue }
    if options.isCached {
      let rows = PublishedTable.cached.rows
      guard let row = rows.first(where: { $0.benchmark == benchmark.name }) else { continue }
      benchmark.goal = row.goal
    }
    let figure = try benchmark.measure(rounds: options.rounds)
    print(Report.line(figure))
    fflush(nil)
    run.benchmarks.append(figure)
  }
  if options.filter == nil, !options.isCached {
    print("\nheap allocations per row of a cursor, beyond those of the C loop")
    run.allocations = try allocationsPerRow(fixture).map {
      Allocations(cursor: $0.name, count: $0.count)
    }
    for allocations in run.allocations {
      print("  \(allocations.cursor): \(String(format: "%.4f", allocations.count))")
    }
  }
  if options.isCached { return run }
  run.limits = try limits(cipher, run.benchmarks)
  if !run.limits.isEmpty {
    print("\ndistance to the limit: the primitives alone, C on the stock provider, Coffer")
    for limit in run.limits {
      let times = [limit.primitives, limit.stock, limit.library].map(Format.time)
      print("  \(limit.work): \(times.joined(separator: ", "))")
    }
  }
  return run
}

/// Writes the files that the options ask for.
enum Output {
  static func write(_ run: Run, _ options: Options) throws {
    if let path = options.json { try run.json().write(to: URL(fileURLWithPath: path)) }
    if let path = options.chart {
      try Data(Chart(run).svg.utf8).write(to: URL(fileURLWithPath: path))
    }
    for path in options.tables {
      let url = URL(fileURLWithPath: path)
      var document = try MarkedDocument(String(contentsOf: url, encoding: .utf8))
      document.fill(from: run, at: options.sources[0], in: path)
      try Data(document.text.utf8).write(to: url)
    }
  }
}

extension Run.Environment {
  /// The environment of this process.
  static func current() throws -> Run.Environment {
    // Only an encrypted connection has SQLCipher's pragmas.
    let queue = try DatabaseQueue(path: ":memory:", key: .random())
    let version = try queue.read { try String.fetchOne($0, sql: "PRAGMA cipher_version") }
    try queue.close()
    let date = Date.now.formatted(.iso8601.year().month().day())
    return Run.Environment(
      date: date, processor: processor, cores: ProcessInfo.processInfo.activeProcessorCount,
      sqlcipher: version ?? "unknown", cipherProvider: Database.cipherProviderDescription)
  }

  /// The name that the kernel gives the processor, or else the architecture.
  private static var processor: String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    let name = line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    #if arch(x86_64)
      let architecture = "x86-64"
    #elseif arch(arm64)
      let architecture = "ARM64"
    #else
      let architecture = "an unknown processor"
    #endif
    return name.map { "\($0) (\(architecture))" } ?? architecture
  }
}
