import BenchmarkReport
import CFloor
import Coffer
import Foundation

/// A piece of work that is done in several sizes, to see how its cost grows.
struct GrowthCase: Sendable {
  /// A value that was measured at one size.
  struct Value {
    var work: String
    var unit: String
    var quantity: Growth.Quantity
    var value: Double
    /// The size, if it isn't the case's.
    var count: Int?
    /// What is counted, if it isn't the unit.
    var sizeUnit: String?

    init(
      _ work: String, _ unit: String, _ quantity: Growth.Quantity, _ value: Double,
      count: Int? = nil
    ) {
      self.work = work
      self.unit = unit
      self.quantity = quantity
      self.value = value
      self.count = count
    }
  }

  var name: String
  /// The sizes at scale 1, from small to large.
  var sizes: [Int]
  /// Does the work in an empty folder.
  var measure: @Sendable (_ size: Int, _ folder: String) throws -> [Value]
}

/// The key of the cases' files.
let growthKey = [UInt8](repeating: 7, count: 32)

extension Configuration {
  /// That of the cases' files: with their key, and without waiting for the disk.
  static var growth: Configuration {
    get throws {
      var configuration = Configuration()
      configuration.key = try .raw(growthKey)
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
      return configuration
    }
  }
}

/// All cases, the longest last.
let growthCases: [GrowthCase] = [
  GrowthCase(name: "cursor", sizes: [1_000_000, 10_000_000], measure: measureCursor),
  GrowthCase(name: "list", sizes: [100_000, 1_000_000], measure: measureList),
  GrowthCase(name: "changes", sizes: [100_000, 1_000_000], measure: measureChanges),
  GrowthCase(name: "transactions", sizes: [500_000, 5_000_000], measure: measureTransactions),
  GrowthCase(name: "lists", sizes: [100_000, 1_000_000], measure: measureObservedLists),
  GrowthCase(name: "tables", sizes: [100, 1_000], measure: measureTables),
  GrowthCase(name: "migrations", sizes: [1_000, 10_000], measure: measureMigrations),
  GrowthCase(name: "files", sizes: [100, 1_000], measure: measureFiles),
  GrowthCase(name: "archive", sizes: [10_000, 60_000], measure: measureArchive),
  GrowthCase(name: "pages", sizes: [100_000, 1_000_000], measure: measurePages),
]

/// Measures the cases that the options select, and prints their values.
func measureGrowth(_ options: Options) throws -> Run {
  var run = Run(environment: try .current(), rows: 0, rounds: 1)
  for growthCase in growthCases where options.growth.map({ $0 == growthCase.name }) ?? true {
    print(growthCase.name)
    let sizes = growthCase.sizes.map { max(2, Int((Double($0) * options.scale).rounded())) }
    var growths: [Growth] = []
    for size in sizes {
      for value in try measure(growthCase, size) {
        let count = value.count ?? size
        print("  \(value.work), \(Format.count(count)): \(value.text)")
        let index =
          growths.firstIndex { $0.work == value.work && $0.quantity == value.quantity }
          ?? growths.endIndex
        if index == growths.endIndex {
          growths.append(
            Growth(
              work: value.work, unit: value.unit, sizeUnit: value.sizeUnit,
              quantity: value.quantity))
        }
        growths[index].counts.append(count)
        growths[index].values.append(value.value)
      }
      fflush(nil)
    }
    for growth in growths where growth.quantity == .time {
      guard let factor = growth.factor, factor > 1.5 else { continue }
      print("  \(growth.work): \(Format.ratio(factor)) times as long per \(growth.unit)")
    }
    run.growth += growths
  }
  return run
}

private func measure(_ growthCase: GrowthCase, _ size: Int) throws -> [GrowthCase.Value] {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("coffer-growth-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try growthCase.measure(size, folder)
}

extension GrowthCase.Value {
  var text: String { Growth(work: work, unit: unit, quantity: quantity).text(of: value) }

  /// The time of work, per unit.
  static func time(
    of work: String, per unit: String, count: Int, _ body: () throws -> Void
  ) rethrows -> Self {
    let nanoseconds = try timed(body).nanoseconds
    return Self(work, unit, .time, nanoseconds / Double(count), count: count)
  }
}

/// What the kernel knows about this process.
enum ProcessStatus {
  /// The resident memory, in bytes, after what isn't used was given back.
  static func residentMemory() -> Double {
    floor_return_unused_memory()
    return field("VmRSS") * 1024
  }

  /// The most memory that was resident during work, beyond that before it, in bytes.
  static func peakMemory(during body: () throws -> Void) throws -> Double {
    let before = residentMemory()
    // Linux resets the maximum when 5 is written here.
    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    try body()
    return max(0, field("VmHWM") * 1024 - before)
  }

  static var threadCount: Double { field("Threads") }

  static func descriptorCount() throws -> Double {
    // One of them is that of the folder itself.
    Double(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1)
  }

  /// Raises the number of files that the process can open to what the system allows.
  static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  private static func field(_ name: String) -> Double {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0
  }
}
