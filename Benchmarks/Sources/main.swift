import BenchmarkReport
import Foundation

do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  if options.runsStockLoops {
    try StockLoops.serve()
    exit(0)
  }
  let run =
    if !options.sources.isEmpty {
      Run.median(of: try options.sources.map { try Run(contentsOf: URL(fileURLWithPath: $0)) })
    } else if options.measuresGrowth {
      try measureGrowth(options)
    } else {
      try measureBenchmarks(options)
    }
  try Output.write(run, options)
} catch is Options.UsageError {
  FileHandle.standardError.write(Data((Options.usage + "\n").utf8))
  exit(64)
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
