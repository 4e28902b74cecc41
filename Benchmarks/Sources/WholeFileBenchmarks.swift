import Coffer
import Foundation

/// Returns the passes over all pages of a file, on all cores, beside those of C on SQLCipher's own
/// provider, in another process.
func wholeFileBenchmarks(
  _ files: CipherFixture, _ queue: Lazy<DatabaseQueue>
) -> [Benchmark] {
  func benchmark(
    _ name: String, _ loop: StockLoops.Loop, _ body: @escaping (DatabaseQueue) throws -> Int64
  ) -> Benchmark {
    Benchmark(
      name: "Whole file: \(name)", count: 1, goal: 0.60,
      prepare: { try queue.value().releaseMemory() },
      remoteFloor: {
        _ = try queue.value()
        return try files.stock(loop)
      }
    ) { try body(queue.value()) }
  }
  let copy = files.path("copy")
  return [
    benchmark("authentication", .authenticate) { Int64(try $0.checkCipherIntegrity().count) },
    benchmark("structure", .check) { queue in
      try queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") == ["ok"] ? 0 : 1 }
    },
    benchmark("backup", .backup) { queue in
      try? FileManager.default.removeItem(atPath: copy)
      try queue.backup(toPath: copy)
      try FileManager.default.removeItem(atPath: copy)
      return 0
    },
    benchmark("key change", .rekey) { queue in
      try queue.changeKey(to: .raw(CipherFixture.otherKey))
      try queue.changeKey(to: .raw(CipherFixture.key))
      return 0
    },
  ]
}
