import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

/// Random damage: what is intact comes back, and nothing else does.
@Suite struct SalvageTrialTests {
  /// The number of trials of a kind.
  private static let trials = trialCount(24)

  private static let parts = 4

  /// Destroys pages in a way that is chosen at random.
  private func destroy(
    _ pages: some Sequence<Int>, of file: inout Data, size: Int,
    _ random: inout SeededGenerator
  ) {
    for page in pages {
      let range = ((page - 1) * size)..<(page * size)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: file.replaceSubrange(range, with: random.bytes(size))
      case 1: file.replaceSubrange(range, with: [UInt8](repeating: 0, count: size))
      default:
        let end = range.upperBound - 64
        file[Int.random(in: range.lowerBound..<end, using: &random)] ^= 0x10
      }
    }
  }

  /// Salvages a file and compares the result with the rows whose pages are intact.
  @discardableResult
  func check(
    _ sample: SalvageSample, _ file: Data, lost: Set<Int>, _ trial: String
  ) throws -> SalvageReport {
    let folder = try TemporaryDirectory()
    let (path, target) = (folder.path("db"), folder.path("new"))
    try file.write(to: URL(fileURLWithPath: path))
    let report = try DatabaseFile.salvage(
      at: path, key: sample.key, settings: sample.form.settings, to: target)
    var configuration = Configuration()
    configuration.key = sample.key
    configuration.cipher = sample.form.settings
    let queue = try DatabaseQueue(path: target, configuration: configuration)
    defer { try? queue.close() }
    try queue.read { (db: Database) throws in
      var found: Set<[DatabaseValue]> = []
      if let table = report.lostAndFoundTable {
        for row in try Row.fetchAll(db, sql: "SELECT * FROM \(table)") {
          let count = row["nfield"] as Int
          found.insert([row["id"]] + (0..<count).map { row["c\($0)"] })
        }
      }
      var stray = found
      for (name, _, _, _) in SalvageSample.tables {
        let rows = sample.rows.filter { $0.key.table == name }
        let isThere = try Bool.fetchOne(
          db, sql: "SELECT count(*) FROM sqlite_master WHERE name = ?", arguments: [name])
        let saved = isThere == true ? try SalvageSample.logicalRows(of: name, db) : []
        let wrong = saved.subtracting(rows.keys.map(\.logicalValues))
        #expect(wrong.isEmpty, "\(trial): wrong rows in \(name)")
        var missing = 0
        for (row, pages) in rows {
          let isFound = found.contains([row.rowid?.databaseValue ?? .null] + row.values)
          if isFound { stray.remove([row.rowid?.databaseValue ?? .null] + row.values) }
          if saved.contains(row.logicalValues) {
            #expect(pages.isDisjoint(with: lost), "\(trial): a row of lost pages in \(name)")
            // A free page can have an old copy of a row that has moved.
            #expect(!isFound || report.mayHoldDeletedRows, "\(trial): a row twice")
          } else if !isFound {
            missing += 1
            #expect(!pages.isDisjoint(with: lost), "\(trial): an intact row of \(name) is missing")
          }
        }
        if missing > 0 { #expect(!report.isComplete, "\(trial): complete without rows of \(name)") }
        if let table = report.tables.first(where: { $0.name == name }) {
          #expect(table.savedRows == saved.count, "\(trial)")
        }
      }
      if report.isSchemaComplete && !report.mayHoldDeletedRows {
        #expect(stray.isEmpty, "\(trial): \(stray.count) wrong rows in lost_and_found")
      }
      if report.isComplete { #expect(found.isEmpty) }
    }
    return report
  }

  /// Runs trials, each with a seed of its own, of which `damage` returns the pages that it
  /// destroys.
  private func run(
    part: Int, count: Int, seeds: UInt64,
    damage: (SalvageSample, inout Data, inout SeededGenerator) -> Set<Int>
  ) throws {
    let samples = try SalvageSample.all()
    var saved = 0
    var setAside = 0
    var setAsideWithSchema = 0
    for trial in stride(from: part, to: count, by: Self.parts) {
      let seed = seeds + UInt64(trial)
      var random = SeededGenerator(state: seed)
      let sample = samples[trial / Self.parts % samples.count]
      var file = sample.file
      let lost = damage(sample, &file, &random)
      let report = try check(sample, file, lost: lost, "seed \(seed), \(sample.form)")
      saved += report.tables.reduce(0) { $0 + $1.savedRows }
      setAside += report.lostAndFoundRows
      setAsideWithSchema += report.isSchemaComplete ? report.lostAndFoundRows : 0
    }
    guard chosenTrialCount != nil else { return }
    print(
      "trials from \(seeds), part \(part): \(saved) rows in their tables, \(setAside) set aside, "
        + "\(setAsideWithSchema) of them with a whole schema")
  }

  @Test(arguments: 0..<SalvageTrialTests.parts)
  func `with 1 % of the pages destroyed, exactly the rows on intact pages come back`(
    part: Int
  ) throws {
    try run(part: part, count: Self.trials, seeds: 0) { sample, file, random in
      let lost = Set(
        (1...sample.pageCount).shuffled(using: &random).prefix(max(1, sample.pageCount / 100)))
      destroy(lost, of: &file, size: sample.form.settings.pageSize, &random)
      return lost
    }
  }

  @Test(arguments: 0..<SalvageTrialTests.parts)
  func `with up to half of the pages destroyed, exactly the rows on intact pages come back`(
    part: Int
  ) throws {
    try run(part: part, count: Self.trials / 4, seeds: 10_000) { sample, file, random in
      let count = Int.random(in: (sample.pageCount / 20)...(sample.pageCount / 2), using: &random)
      let lost = Set((1...sample.pageCount).shuffled(using: &random).prefix(count))
      destroy(lost, of: &file, size: sample.form.settings.pageSize, &random)
      return lost
    }
  }

  @Test(arguments: 0..<SalvageTrialTests.parts)
  func `of a file cut anywhere, exactly the rows on the remaining pages come back`(
    part: Int
  ) throws {
    try run(part: part, count: Self.trials / 4, seeds: 20_000) { sample, file, random in
      let size = sample.form.settings.pageSize
      file = file.prefix(Int.random(in: size..<file.count, using: &random))
      return Set((file.count / size + 1)...sample.pageCount)
    }
  }

  @Test(arguments: 0..<SalvageTrialTests.parts)
  func `with changed bytes anywhere, exactly the rows on the other pages come back`(
    part: Int
  ) throws {
    try run(part: part, count: Self.trials / 4, seeds: 30_000) { sample, file, random in
      let size = sample.form.settings.pageSize
      var lost: Set<Int> = []
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        // The key has the salt, and the end of a page can be padding.
        let position = Int.random(in: 16..<file.count, using: &random)
        if position % size >= size - 64 { continue }
        file[position] ^= UInt8.random(in: 1...255, using: &random)
        lost.insert(position / size + 1)
      }
      // A second change can undo the first.
      return lost.filter { page in
        let range = ((page - 1) * size)..<(page * size)
        return file[range] != sample.file[range]
      }
    }
  }

  // MARK: Hostile files

  /// A plaintext database.
  private func plaintext() throws -> Data {
    let sample = try SalvageSample.of(.standard)
    let folder = try TemporaryDirectory()
    try sample.file.write(to: URL(fileURLWithPath: folder.path("db")))
    try DatabaseFile.decrypt(
      at: folder.path("db"), key: sample.key, cipher: sample.form.settings,
      to: folder.path("plain"))
    return try Data(contentsOf: URL(fileURLWithPath: folder.path("plain")))
  }

  @Test func `a plaintext file with any bytes ends with a report or an error`() throws {
    let size = 1024
    let whole = try plaintext()
    for trial in 0..<Self.trials {
      var random = SeededGenerator(state: 40_000 + UInt64(trial))
      var file = whole
      for _ in 0..<Int.random(in: 1...200, using: &random) {
        let page = Int.random(in: 0..<(file.count / size), using: &random)
        // Most of what is not a value is at the beginning of a page.
        let offset = Int.random(in: 0..<(Bool.random(using: &random) ? 12 : size), using: &random)
        file[page * size + offset] = UInt8.random(in: 0...255, using: &random)
      }
      let folder = try TemporaryDirectory()
      try file.write(to: URL(fileURLWithPath: folder.path("db")))
      do {
        let report = try DatabaseFile.salvage(
          at: folder.path("db"), key: nil, to: folder.path("new"))
        #expect(!report.isAuthenticated)
        let queue = try DatabaseQueue(path: folder.path("new"))
        #expect(try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check") } == "ok")
        try queue.close()
      } catch let error as DatabaseError {
        #expect(error.resultCode != .SQLITE_CORRUPT, "seed \(trial): \(error)")
      }
    }
  }

  @Test func `no bytes of a page make it unreadable in an unsafe way`() throws {
    var random = SeededGenerator(state: 50_000)
    let size = 1024
    let whole = try plaintext()
    var record = SalvagedRecord()
    var sound = 0
    for trial in 0..<(20 * Self.trials) {
      let start = Int.random(in: 0..<(whole.count / size), using: &random) * size
      var page = [UInt8](whole[start..<(start + size)])
      for _ in 0..<(trial % 8) {
        let offset = Int.random(in: 0..<(Bool.random(using: &random) ? 40 : size), using: &random)
        page[offset] = [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
          .randomElement(using: &random)!
      }
      let parsed = BTreePage(
        number: start / size + 1, bytes: page, usableSize: size, isExact: trial % 2 == 0)
      for cell in parsed?.cells ?? [] where record.load(page, cell.local, isPartial: true) {
        sound += 1
        for field in record.fields {
          _ = record.integer(field)
          _ = record.text(field, .utf16BigEndian)
        }
      }
    }
    #expect(sound > 0)
  }
}
