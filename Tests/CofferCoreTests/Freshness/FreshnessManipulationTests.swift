import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

struct FreshnessManipulationTests {
  /// A database that was used for some time, and what somebody has copied of it meanwhile.
  private struct History {
    let vault: FreshVault
    /// The files after each time that the database was closed.
    var closed: [FreshVault.Files] = []
    /// The files while it was open, just after an anchor was stored.
    var open: [FreshVault.Files] = []
    /// The anchors of these moments.
    var closedAnchors: [[UInt8]] = []
    var openAnchors: [[UInt8]] = []
    /// Another database with the same key.
    let other: FreshVault.Files

    init(_ random: inout SeededGenerator) throws {
      vault = try FreshVault()
      let stranger = try FreshVault()
      try stranger.change("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
      other = stranger.files()
      for session in 0..<6 {
        // In some sessions the log isn't moved to the file.
        let keepsLog = session % 2 == 1
        let queue = try vault.open { configuration in
          configuration.checkpointPolicy = CheckpointPolicy(
            automaticPageCount: keepsLog ? .max : 20, maximumPageCount: .max)
        }
        for commit in 0..<5 {
          try queue.write { db in
            for table in ["a", "b", "c"] {
              try db.execute(
                sql: "CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, text TEXT)")
              try db.execute(
                sql: "INSERT INTO \(table) (text) VALUES (?), (?), (?)",
                arguments: [
                  Self.text(&random), Self.text(&random), Self.text(&random),
                ])
              try db.execute(
                sql: "UPDATE \(table) SET text = ? WHERE id = ?",
                arguments: [Self.text(&random), Int.random(in: 1...20, using: &random)])
            }
          }
          if keepsLog, commit > 0 {
            try queue.check(against: vault.anchor)
            open.append(vault.files())
            openAnchors.append(try vault.anchorBytes())
          }
        }
        try queue.close()
        closed.append(vault.files())
        closedAnchors.append(try vault.anchorBytes())
      }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
      String(repeating: "\(random.next())", count: 100)
    }
  }

  private let settings = CipherSettings.default

  /// Pages that differ between two files.
  private func differences(_ one: [UInt8], _ other: [UInt8]) -> [Int] {
    (1...max(1, min(one.count, other.count) / settings.pageSize)).filter {
      one[settings.range(ofPage: $0)] != other[settings.range(ofPage: $0)]
    }
  }

  /// The frames of a log, by their pages.
  private func loggedPages(_ files: FreshVault.Files) -> Set<Int> {
    guard let log = files["-wal"] else { return [] }
    let size = settings.pageSize + 24
    return Set(
      stride(from: 32, to: log.count - size + 1, by: size).map { offset in
        log[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
      })
  }

  /// Puts new checksums into a log, as somebody without the key can.
  private func sign(_ log: inout [UInt8]) {
    let size = settings.pageSize + 24
    func sum(_ range: Range<Int>, _ sum: inout LogChecksum) {
      log[range].withUnsafeBytes { sum.add($0) }
    }
    func store(_ sum: LogChecksum, at offset: Int) {
      for (index, word) in [sum.words.0, sum.words.1].enumerated() {
        for byte in 0..<4 {
          log[offset + 4 * index + byte] = UInt8(truncatingIfNeeded: word >> (24 - 8 * byte))
        }
      }
    }
    var current = LogChecksum(isBigEndian: log[3] & 1 == 1)
    sum(0..<24, &current)
    store(current, at: 24)
    for offset in stride(from: 32, to: log.count - size + 1, by: size) {
      sum(offset..<(offset + 8), &current)
      sum((offset + 24)..<(offset + size), &current)
      store(current, at: offset + 16)
    }
  }

  private enum Manipulation: CaseIterable {
    case none, page, file, fileWithLog, fileWithRecord, allButAnchor, otherDatabase, deleted
    case addedLog
    case uncut, cutLog, removedLog, olderLog, pageBesideLog, fileBesideLog, fileWithoutLog
    case frame, tailIsOlder
  }

  @Test func `each manipulation has its name`() throws {
    var random = SeededGenerator()
    let history = try History(&random)
    let vault = history.vault
    let anchorURL = URL(fileURLWithPath: vault.anchor.path)
    var tried: [Manipulation: Int] = [:]
    for trial in 0..<trialCount(400) {
      let manipulation = try #require(Manipulation.allCases.randomElement(using: &random))
      guard
        let (files, anchor, expected) = make(manipulation, history, &random)
      else { continue }
      try files.restore(to: vault.path)
      try Data(anchor).write(to: anchorURL)
      let found = vault.replacement()
      guard found == expected else {
        Issue.record(
          "\(manipulation) was named \(String(describing: found)), trial \(trial), seed \(SeededGenerator.seed)"
        )
        return
      }
      tried[manipulation, default: 0] += 1
    }
    #expect(tried.count == Manipulation.allCases.count, "\(tried)")
  }

  /// Returns the files after a manipulation, the anchor, and what opening should find.
  private func make(
    _ manipulation: Manipulation, _ history: History, _ random: inout SeededGenerator
  ) -> (FreshVault.Files, [UInt8], CipherDiagnosis.Replacement?)? {
    // A moment at which the database was closed, and an earlier one.
    let last = Int.random(in: 1..<history.closed.count, using: &random)
    let first = Int.random(in: 0..<last, using: &random)
    var files = history.closed[last]
    let older = history.closed[first]
    let anchor = history.closedAnchors[last]
    switch manipulation {
    case .none: return (files, anchor, nil)
    case .page:
      let pages = differences(files.main, older.main)
      for page in pages.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)) {
        files[""]?.replaceSubrange(
          settings.range(ofPage: page), with: older.main[settings.range(ofPage: page)])
      }
      return (files, anchor, .olderPage)
    case .file:
      files[""] = older.main
      return (files, anchor, .olderFile)
    case .fileWithRecord:
      files[""] = older.main
      files["-tags"] = older["-tags"]
      return (files, anchor, .olderFile)
    case .allButAnchor: return (older, anchor, .olderFile)
    case .fileWithLog:
      // While the database was open in an earlier session than the last.
      guard
        let then = history.open.indices.filter({ $0 / 4 * 2 + 1 <= last }).randomElement(
          using: &random)
      else { return nil }
      let tags = files["-tags"]
      files = history.open[then]
      if Bool.random(using: &random) { files["-tags"] = tags }
      return (files, anchor, .olderFile)
    case .otherDatabase:
      files[""] = history.other.main
      if Bool.random(using: &random) { files["-tags"] = history.other["-tags"] }
      return (files, anchor, .otherDatabase)
    case .deleted:
      files[""] = Bool.random(using: &random) ? [] : nil
      return files[""] == nil ? nil : (files, anchor, .otherDatabase)
    case .addedLog:
      files["-wal"] = history.open.randomElement(using: &random)?["-wal"]
      return (files, anchor, .cutLog)
    case .uncut, .cutLog, .removedLog, .olderLog, .pageBesideLog, .fileBesideLog, .fileWithoutLog,
      .frame, .tailIsOlder:
      return makeOpen(manipulation, history, &random)
    }
  }

  /// The same for files whose log is in use.
  private func makeOpen(
    _ manipulation: Manipulation, _ history: History, _ random: inout SeededGenerator
  ) -> (FreshVault.Files, [UInt8], CipherDiagnosis.Replacement?)? {
    let moment = Int.random(in: 4..<history.open.count, using: &random)
    let session = moment / 4
    var files = history.open[moment]
    let anchor = history.openAnchors[moment]
    let frame = settings.pageSize + 24
    guard var log = files["-wal"] else { return nil }
    // An earlier session of which the log was not moved to the file either.
    let before = history.open[Int.random(in: 0..<(session * 4), using: &random)]
    // The file as it was before the log began.
    let older = history.closed[Int.random(in: 0..<(session * 2), using: &random)]
    switch manipulation {
    case .uncut: return (files, anchor, nil)
    case .cutLog:
      let frames = (log.count - 32) / frame
      log.removeLast(log.count - 32 - frame * Int.random(in: 0..<frames, using: &random))
      files["-wal"] = log
      return (files, anchor, .cutLog)
    case .removedLog:
      files["-wal"] = Bool.random(using: &random) ? nil : []
      return (files, anchor, .cutLog)
    case .olderLog:
      files["-wal"] = before["-wal"]
      return (files, anchor, .cutLog)
    case .pageBesideLog:
      let logged = loggedPages(files)
      let pages = differences(files.main, older.main).filter { !logged.contains($0) }
      guard pages.count > 3, let page = pages.randomElement(using: &random) else { return nil }
      files[""]?.replaceSubrange(
        settings.range(ofPage: page), with: older.main[settings.range(ofPage: page)])
      return (files, anchor, .olderPage)
    case .fileBesideLog, .fileWithoutLog:
      let logged = loggedPages(files)
      guard differences(files.main, older.main).contains(where: { !logged.contains($0) }) else {
        return nil
      }
      files[""] = older.main
      if manipulation == .fileWithoutLog { files["-wal"] = nil }
      return (files, anchor, .olderFile)
    case .frame:
      // The last frame of a page gets an older version, and the log new checksums.
      var lastFrames: [Int: Int] = [:]
      for offset in stride(from: 32, to: log.count - frame + 1, by: frame) {
        lastFrames[log[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }] = offset
      }
      let pages = lastFrames.keys.sorted().filter { $0 * settings.pageSize <= older.main.count }
      guard let page = pages.randomElement(using: &random), let offset = lastFrames[page] else {
        return nil
      }
      log.replaceSubrange(
        (offset + 24)..<(offset + frame), with: older.main[settings.range(ofPage: page)])
      sign(&log)
      files["-wal"] = log
      return (files, anchor, .olderPage)
    default:
      // The anchor of an earlier moment of the session: what follows it are new commits.
      guard moment % 4 > 0 else { return nil }
      files["-tags"] = history.open[moment - 1]["-tags"]
      return (files, history.openAnchors[moment - 1], nil)
    }
  }
}
