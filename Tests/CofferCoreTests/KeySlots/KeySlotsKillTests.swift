import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

struct KeySlotsKillTests {
  typealias Vault = SlottedVault

  /// A child adds, changes and removes slots, and says which secrets open the file from now on.
  @Test func `killed while slots change, what was acknowledged holds`() throws {
    let first = KeyUnlocker.provider(FixedProvider(byte: 1))
    let (vault, _) = try Vault.made(first)
    var generator = SeededGenerator()
    for trial in 0..<trialCount(40) {
      let child = try TestProcess(["slots-change", vault.path, "\(trial)"])
      try #require(child.readLine() == "ready")
      usleep(UInt32.random(in: 0...20_000, using: &generator))
      // Each line is "open N…": all numbers that were acknowledged, and no other.
      let lines = child.kill()
      let slots = try KeySlots.open(forDatabaseAt: vault.path)
      try slots.verify(authorizedBy: first)
      let open = try (2...9).filter { byte in
        do {
          _ = try vault.dataKey(.provider(FixedProvider(byte: UInt8(byte))))
          return true
        } catch KeySlotsError.noSlot {
          return false
        }
      }
      let states = lines.filter { $0.hasPrefix("open") }
        .map { Set($0.split(separator: " ").dropFirst().compactMap { Int($0) }) }
      if let last = states.last {
        // The change that was under way may have happened.
        #expect(Set(open).symmetricDifference(last).count <= 2, "trial \(trial)")
        let pending = lines.last?.hasPrefix("doing") == true ? lines.last : nil
        let allowed = pending.map {
          Set($0.split(separator: " ").dropFirst().compactMap { Int($0) })
        }
        #expect(
          Set(open).symmetricDifference(last).isSubset(of: allowed ?? []),
          "trial \(trial): \(lines)")
      }
      #expect(try vault.read(first) == "kept")
      // The next child begins with the first slot alone.
      for slot in slots.all where slot.id != 1 { try slots.remove(slot, authorizedBy: first) }
    }
    #expect(!(try vault.folder.contents()).contains { $0.hasSuffix("-next") })
  }

  @Test func `killed while the data key changes, the slots open the file`() throws {
    let (vault, _) = try Vault.made(.provider(FixedProvider(byte: 1)))
    let queue = try DatabaseQueue(
      path: vault.path, key: .slots(unlocker: .provider(FixedProvider(byte: 1))))
    try queue.write { db in
      for _ in 0..<200 {
        try db.execute(
          sql: "INSERT INTO t VALUES (?)", arguments: [String(repeating: "x", count: 2000)])
      }
    }
    try queue.close()
    var generator = SeededGenerator()
    var byte: UInt8 = 1
    for trial in 0..<trialCount(12) {
      let child = try TestProcess(["slots-rekey", vault.path, "\(byte)", "\(byte + 1)"])
      try #require(child.readLine() == "ready")
      usleep(UInt32.random(in: 0...60_000, using: &generator))
      let isDone = child.kill().contains("done")
      let opens = [byte, byte + 1].map { byte in
        (try? vault.read(.provider(FixedProvider(byte: byte)))) == "kept"
      }
      try #require(opens.count { $0 } == 1, "trial \(trial): \(opens)")
      if isDone { #expect(opens == [false, true]) }
      if opens[1] { byte += 1 }
      if byte > 200 { break }
    }
  }
}
