import Foundation

do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  let fixture = try Fixture(rows: options.rows)
  print(Report.header)
  var measurements: [Measurement] = []
  for benchmark in try coreBenchmarks(fixture) {
    if let filter = options.filter, !benchmark.name.contains(filter) { continue }
    let measurement = try benchmark.measure(rounds: options.rounds)
    print(Report.line(measurement))
    measurements.append(measurement)
  }
  if options.filter == nil {
    print("\nheap allocations per row of a cursor, beyond those of the C loop")
    for (name, count) in try allocationsPerRow(fixture) {
      print("  \(name): \(String(format: "%.4f", count))")
    }
  }
  if let path = options.json {
    try Report.json(measurements, options: options).write(to: URL(fileURLWithPath: path))
  }
} catch is Options.UsageError {
  FileHandle.standardError.write(Data((Options.usage + "\n").utf8))
  exit(64)
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
