import CFloor
import Foundation

/// C's loops with SQLCipher's own cipher provider, in a process of their own.
///
/// A cipher provider counts for a whole process, so Coffer and C on the stock provider can't be
/// measured in one. The child executes one loop per line of its standard input, and answers each
/// with the result and the nanoseconds.
final class StockLoops {
  /// A loop, by its name in the requests.
  enum Loop: String {
    /// Sums all rows.
    case scan
    /// Looks up rows at random, with a cache that only holds the upper pages of the table.
    case read
    /// Inserts rows in one transaction.
    case insert
    /// Inserts rows, each in a transaction.
    case commit
    /// Authenticates all pages.
    case authenticate
    /// Checks the structure.
    case check
    /// Copies all pages to another file, and checks its structure.
    case backup
    /// Changes the key, and changes it back.
    case rekey
  }

  /// The option that makes this program the child.
  static let option = "--stock-loops"

  private let process = Process()
  private let requests = Pipe()
  private let answers = Pipe()
  private var buffer = Data()

  init() throws {
    // A child that has ended is an error of the next read, not a signal.
    signal(SIGPIPE, SIG_IGN)
    process.executableURL = URL(
      fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    process.arguments = [Self.option]
    var environment = ProcessInfo.processInfo.environment
    environment["COFFER_STOCK_CIPHER"] = "1"
    process.environment = environment
    process.standardInput = requests
    process.standardOutput = answers
    try process.run()
  }

  deinit {
    // At the end of its input, the child exits.
    try? requests.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Runs a loop in the child.
  func run(_ loop: Loop, path: String, rows: Int) throws -> Benchmark.Timed {
    let request = "\(loop.rawValue) \(rows) \(path)\n"
    try requests.fileHandleForWriting.write(contentsOf: Data(request.utf8))
    while !buffer.contains(UInt8(ascii: "\n")) {
      let data = answers.fileHandleForReading.availableData
      guard !data.isEmpty else { throw WrongResult(description: "the process of C has ended") }
      buffer.append(data)
    }
    let line = String(decoding: buffer.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    buffer.removeAll()
    let words = line.split(separator: " ")
    guard words.count == 2, let result = Int64(words[0]), let time = Double(words[1]) else {
      throw WrongResult(description: "C in its process: \(line)")
    }
    return (result, time)
  }

  // MARK: In the child

  /// Executes the loops requested on the standard input, until its end.
  static func serve() throws {
    while let line = readLine() {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, let loop = Loop(rawValue: String(words[0])), let rows = Int(words[1])
      else { throw WrongResult(description: "unknown loop: \(line)") }
      let (result, time) = try execute(loop, path: String(words[2]), rows: rows)
      print("\(result) \(time)")
      fflush(nil)
    }
  }

  /// Executes a loop on a new connection, whose opening isn't measured.
  private static func execute(_ loop: Loop, path: String, rows: Int) throws -> Benchmark.Timed {
    let db = try CipherFixture.openFloor(path, loop)
    defer { floor_close(db) }
    let ids = Fixture.ids(rows: rows)
    return timed { perform(loop, on: db, path: path, rows: rows, ids: ids) }
  }

  private static let keySpec = Fixture.keySpec(CipherFixture.key)

  /// Performs a loop in C, and returns its result.
  static func perform(
    _ loop: Loop, on db: OpaquePointer, path: String, rows: Int, ids: [Int64]
  ) -> Int64 {
    switch loop {
    case .scan: floor_scalar(db, CipherFixture.scanSQL, 1)
    case .read: floor_look_up(db, CipherFixture.readSQL, ids, Int64(ids.count))
    case .insert:
      floor_insert_blobs(
        db, CipherFixture.insertBlobSQL, Int64(rows), CipherFixture.blob,
        CInt(CipherFixture.blob.count))
    case .commit:
      floor_insert_ones(db, CipherFixture.insertSQL, Int64(CipherFixture.commitCount))
    case .authenticate: floor_scalar(db, "PRAGMA cipher_integrity_check", 1)
    case .check: floor_scalar(db, "PRAGMA integrity_check", 1)
    case .backup:
      Int64(floor_backup(db, path + "-copy", keySpec, CInt(keySpec.utf8.count)))
    case .rekey:
      [CipherFixture.otherKey, CipherFixture.key].reduce(0) { sum, key in
        sum + Int64(floor_exec(db, "PRAGMA rekey = \"\(Fixture.keySpec(key))\""))
      }
    }
  }
}
