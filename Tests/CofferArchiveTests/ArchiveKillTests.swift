import CofferTestSupport
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// Processes that are killed while they archive (Tests/Child/Archives.swift).
@Suite struct ArchiveKillTests {
  private static let hex = String(repeating: "05", count: 32)

  /// The content's hash, as the child computes it.
  private static func hash(of reader: some DatabaseReader) throws -> String {
    try reader.read { db in
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      let rows = try Row.fetchCursor(
        db, sql: "SELECT id || '|' || text, data FROM item ORDER BY id")
      while let row = try rows.next() {
        let text: String = row[0]
        let data: Data = row[1]
        for byte in Array(text.utf8) + Array(data) {
          hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
      }
      return String(hash, radix: 16)
    }
  }

  @Test func `what a killed process said to be archived can be restored, and the next one goes on`()
    throws
  {
    let key = try DatabaseKey.raw([UInt8](repeating: 5, count: 32))
    var random = SeededGenerator()
    let trials = trialCount(8)
    var (done, reported) = (0, 0)
    while done < trials {
      let folder = try TemporaryDirectory()
      let (path, store) = (folder.path("vault.db"), folder.path("archive"))
      let archive = Archive(FolderDestination(path: store))
      var known: [UInt64: String] = [:]
      for _ in 0..<min(8, trials - done) {
        done += 1
        let seed = random.next()
        let child = try TestProcess(["archive", path, Self.hex, store, "\(seed)"])
        guard child.readLine() == "ready" else {
          let end = child.finish()
          Issue.record("seed \(seed): \(end.status) \(end.error)")
          break
        }
        usleep(UInt32.random(in: 0...500_000, using: &random))
        let isRunning = !child.isAtEnd
        let lines = child.kill()
        if !isRunning { Issue.record("the child has ended: \(child.finish().error)") }
        for line in lines {
          let words = line.split(separator: " ").map(String.init)
          guard words.count == 3, let number = UInt64(words[1]) else { continue }
          if let hash = known[number] {
            #expect(hash == words[2], "commit \(number) has two contents")
          }
          known[number] = words[2]
        }
        #expect(try archive.verify(key: key) == [], "seed \(seed)")
        guard let last = known.keys.max() else { continue }
        reported += 1
        let summary = try archive.summary(key: key)
        #expect(summary.last!.number >= last)
        for number in [last] + known.keys.shuffled(using: &random).prefix(1) {
          let target = folder.path("restored-\(done)-\(number).db")
          if FileManager.default.fileExists(atPath: target) { continue }
          do {
            try archive.restore(to: target, at: .commit(number), key: key)
            let queue = try DatabaseQueue(path: target, key: key)
            #expect(try Self.hash(of: queue) == known[number], "seed \(seed), commit \(number)")
            try queue.close()
            try FileManager.default.removeItem(atPath: target)
          } catch {
            Issue.record("seed \(seed), commit \(number): \(error)")
          }
        }
        let target = folder.path("latest-\(done).db")
        let commit = try archive.restore(to: target, key: key)
        #expect(commit.number >= last, "seed \(seed): the last one is \(commit.number)")
        try FileManager.default.removeItem(atPath: target)
      }
    }
    #expect(reported > 0)
  }
}
