import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// The files on disk while a child works, read by this process, which has none of them open:
/// closing a descriptor of a database would drop the locks of a connection in the same process.
@Suite(.serialized) struct MarkerScanTests {
  static let journalModes = ["DELETE", "WAL", "PERSIST", "TRUNCATE"]

  /// The places where the marker was found, by the end of the file's name, and the number of scans.
  struct Findings {
    var files: [String: Set<String>] = [:]
    var sizes: [String: Int] = [:]
    var scans = 0
    var labels: [String] = []
    var status: CInt = 0
    var error = ""
  }

  private func contains(_ marker: [UInt8], _ data: Data) -> Bool {
    data.withUnsafeBytes { bytes in
      guard var start = bytes.baseAddress else { return false }
      let end = start + bytes.count
      while start + marker.count <= end,
        let hit = memchr(start, CInt(marker[0]), end - start - marker.count + 1)
      {
        if memcmp(hit, marker, marker.count) == 0 { return true }
        start = UnsafeRawPointer(hit) + 1
      }
      return false
    }
  }

  /// Scans everything in the folders, and the child's files that have no name any more.
  private func scan(
    _ folders: [String], _ child: pid_t, for marker: [UInt8], _ label: String,
    into findings: inout Findings
  ) {
    func look(at path: String, named name: String) {
      guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return }
      findings.sizes[name] = max(findings.sizes[name] ?? 0, data.count)
      if contains(marker, data) { findings.files[name, default: []].insert(label) }
    }
    for folder in folders {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        look(at: "\(folder)/\(name)", named: name)
      }
    }
    // SQLite deletes a temporary file as soon as it has opened it.
    let descriptors = "/proc/\(child)/fd"
    for name in (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? [] {
      let link = "\(descriptors)/\(name)"
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
        target.hasSuffix(" (deleted)")
      else { continue }
      look(at: link, named: target.contains("etilqs_") ? "temporary" : "deleted")
    }
    findings.scans += 1
  }

  private func work(
    key: String, journalMode: String, tempStore: String = "DEFAULT"
  ) throws -> Findings {
    let folder = try TemporaryDirectory()
    let temporary = try TemporaryDirectory()
    var random = SeededGenerator()
    let marker = "marker\(random.next())"
    let child = try TestProcess(
      ["markers", folder.path("db"), key, journalMode, tempStore],
      environment: [
        "COFFER_TEST_MARKER": marker, "SQLITE_TMPDIR": temporary.path, "TMPDIR": temporary.path,
      ])
    var findings = Findings()
    var label = "start"
    // Scans all the time, and once more at each stop, where the child waits.
    while !child.isAtEnd {
      let line = child.nextLineIfAny()
      if let line { label = line } else { usleep(2000) }
      scan(
        [folder.path, temporary.path], child.processIdentifier, for: Array(marker.utf8), label,
        into: &findings)
      if let line {
        findings.labels.append(line)
        if line.hasPrefix("at ") { child.goOn() }
      }
    }
    (findings.status, _, findings.error) = child.finish()
    scan(
      [folder.path, temporary.path], child.processIdentifier, for: Array(marker.utf8), "end",
      into: &findings)
    return findings
  }

  private static let stops = [
    "at insertion", "at first commit", "at update", "at savepoint", "at savepoint's end",
    "at rollback", "at temporary table", "at sort", "at union", "at index", "at full text",
    "at vacuum", "at deletion", "done",
  ]

  @Test(arguments: journalModes)
  func `nothing readable is ever on disk`(journalMode: String) throws {
    let key = String(repeating: "0f1e2d3c", count: 8)
    let findings = try work(key: key, journalMode: journalMode)
    #expect(findings.error == "")
    #expect(findings.status == 0)
    #expect(findings.labels == Self.stops)
    #expect(findings.files.isEmpty)
    // The cache has overflowed into these files.
    let journal = journalMode == "WAL" ? "db-wal" : "db-journal"
    #expect(findings.sizes["db", default: 0] > 1_000_000)
    #expect(findings.sizes[journal, default: 0] > 100_000)
    #expect(findings.sizes["temporary", default: 0] == 0)
  }

  /// The control: the same scan finds the marker of an unencrypted database wherever it can be.
  @Test(arguments: ["DELETE", "WAL"])
  func `the scan finds what is readable`(journalMode: String) throws {
    let findings = try work(key: "-", journalMode: journalMode, tempStore: "FILE")
    #expect(findings.error == "")
    #expect(findings.labels == Self.stops)
    let journal = journalMode == "WAL" ? "db-wal" : "db-journal"
    #expect(findings.files["db"]?.contains("at first commit") == true)
    #expect(findings.files[journal]?.contains("at update") == true)
    #expect(findings.files["temporary"]?.contains("at temporary table") == true)
    #expect(findings.files["temporary"]?.contains("at sort") == true)
  }
}
