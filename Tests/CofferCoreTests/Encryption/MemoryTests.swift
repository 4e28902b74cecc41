import CofferTestSupport
import Foundation
import Testing

/// The places of keys in the memory of a process, found by a child in its own memory.
@Suite struct MemoryTests {
  /// "open: passphrase=1 derived=3" as a dictionary under "open".
  private func counts(_ lines: [String]) -> [String: [String: Int]] {
    var counts: [String: [String: Int]] = [:]
    for line in lines {
      let parts = line.split(separator: ":")
      guard parts.count == 2 else { continue }
      for pair in parts[1].split(separator: " ") {
        let sides = pair.split(separator: "=")
        if sides.count == 2 {
          counts[String(parts[0]), default: [:]][String(sides[0])] = Int(sides[1])
        }
      }
    }
    return counts
  }

  @Test(arguments: ["key", "preparation"])
  func `a key is in its own locked memory alone, and nowhere once it is released`(
    how: String
  ) throws {
    let folder = try TemporaryDirectory()
    // A new file, and then one that exists.
    for _ in 0..<2 {
      let (status, lines, error) = try TestProcess.run(["memory-scan", folder.path("db"), how])
      #expect(status == 0, "\(error)")
      #expect(lines.last?.hasPrefix("done") == true)
      let counts = counts(lines)
      // The scan finds exposed bytes.
      #expect(counts["before"] == ["control": 1, "passphrase": 0])
      #expect(counts["key"] == ["passphrase": 1])
      // SQLCipher is handed a derived key: the passphrase is nowhere but where we keep it, once
      // for the key that the child made itself, and once for that of usePassphrase.
      #expect(counts["open"]?["passphrase"] == (how == "key" ? 1 : 2))
      #expect(counts["open"]?["derived"] ?? 0 > 0)
      // The queue keeps the key until it is released; SQLCipher doesn't.
      #expect(counts["closed"]?["hex"] == 0)
      #expect(counts["closed"]?["derived"] ?? 9 <= 1)
      #expect(counts["released"] == ["passphrase": 0, "derived": 0, "hex": 0, "HEX": 0])
      #expect(counts["refused"] == ["passphrase": 0])
    }
  }

  @Test func `no row that SQLite holds is in a core dump`() throws {
    let folder = try TemporaryDirectory()
    let (status, lines, error) = try TestProcess.run(["dump-scan", folder.path("db")])
    #expect(status == 0, "\(error)")
    let counts = counts(lines)
    for label in ["inserted", "read", "sorted"] {
      #expect(counts[label]?["dumped"] == 0, "\(label)")
      #expect(counts[label]?["all"] ?? 0 >= 5000, "\(label)")
    }
    #expect(counts["closed"] == ["dumped": 0, "all": 0])
    #expect(counts["control"]?["dumped"] == 1)
  }

  @Test func `SQLite's own memory is dumped`() throws {
    let folder = try TemporaryDirectory()
    let (status, lines, error) = try TestProcess.run(
      ["dump-scan", folder.path("db")], environment: ["COFFER_STOCK_MEMORY": "1"])
    #expect(status == 0, "\(error)")
    #expect(counts(lines)["read"]?["dumped"] ?? 0 >= 5000)
  }
}
