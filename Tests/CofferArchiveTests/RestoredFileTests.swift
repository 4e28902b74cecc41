import CofferTestSupport
import Foundation
import Testing

@testable import CofferArchive
@testable import CofferCore

/// A file of pages is as good as its last versions, and never in place otherwise.
struct RestoredFileTests {
  private let directory: TemporaryDirectory
  private let settings = CipherSettings.default
  private var target: String { directory.path + "/restored.db" }

  init() throws { directory = try TemporaryDirectory() }

  /// A database's key and its pages as frames.
  private func source() throws -> (key: DatabaseKey, derived: DerivedKey, frames: [[UInt8]]) {
    let key = try DatabaseKey.raw((0..<32).map { UInt8($0) })
    let path = directory.path + "/source.db"
    var configuration = Configuration()
    configuration.seedRandomFunctions()
    let queue = try DatabaseQueue(path: path, key: key, configuration: configuration)
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE item (data BLOB)")
      for _ in 0..<40 { try db.execute(sql: "INSERT INTO item VALUES (randomblob(3000))") }
    }
    try queue.close()
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let derived = try key.derived(
      salt: Array(bytes.prefix(16)), slots: [], settings: settings, path: path)
    let size = settings.pageSize
    let frames = (0..<(bytes.count / size)).map { index in
      let number = UInt32(index + 1)
      return (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
        + bytes[(index * size)..<((index + 1) * size)]
    }
    return (key, derived, frames)
  }

  private func damaged(_ frame: [UInt8]) -> [UInt8] {
    var frame = frame
    frame[1_000] ^= 1
    return frame
  }

  private func requireNothingLeft() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(names.filter { $0.hasPrefix("restored") } == [])
  }

  @Test func `parts that are written one after the other make the database`() throws {
    let (key, derived, frames) = try source()
    let parts = stride(from: 0, to: frames.count, by: 3).map { start in
      frames[start..<min(start + 3, frames.count)].flatMap(\.self)
    }
    let file = try RestoredFile(at: target, key: derived, settings: settings)
    for part in parts.reversed() { try write(part, to: file, derived) }
    try file.finish(pageCount: frames.count)
    let queue = try DatabaseQueue(path: target, key: key)
    #expect(try queue.read { try $0.checkCipherIntegrity() }.isEmpty)
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM item") } == 40)
  }

  @Test func `the later version of a page counts`() throws {
    let (key, derived, frames) = try source()
    let file = try RestoredFile(at: target, key: derived, settings: settings)
    for frame in frames { try write(damaged(frame) + frame, to: file, derived) }
    try write(damaged(frames[1]), to: file, derived)
    try write(frames[1], to: file, derived)
    try file.finish(pageCount: frames.count)
    let queue = try DatabaseQueue(path: target, key: key)
    #expect(try queue.read { try $0.checkCipherIntegrity() }.isEmpty)
  }

  private func write(_ frames: [UInt8], to file: RestoredFile, _ key: DerivedKey) throws {
    let verifier = try PageVerifier(key: key, settings: settings)
    let found = try verifier.damagedPages(in: frames[...])
    try file.write(frames[...]) { _, index in found.contains { $0.index == index } }
  }

  @Test func `a damaged page with a later version is no damage`() throws {
    let (_, derived, frames) = try source()
    let file = try RestoredFile(at: target, key: derived, settings: settings)
    try write(frames[0] + damaged(frames[1]), to: file, derived)
    try write(frames.dropFirst().flatMap(\.self), to: file, derived)
    // Pages that the last commit has cut off aren't the database's.
    try write(
      damaged(frames[2]).replacingNumber(with: frames.count + 5), to: file, derived)
    try file.finish(pageCount: frames.count)
    #expect(FileManager.default.fileExists(atPath: target))
  }

  @Test func `a page whose last version is damaged, or that is missing, leaves no file`() throws {
    let (_, derived, frames) = try source()
    var attempts: [([[UInt8]], String)] = [
      (frames + [damaged(frames[5])], "its pages [6] can't be verified"),
      (frames.filter { $0 != frames[7] }, "it lacks pages"),
      ([], "it lacks pages"),
      (frames + [frames[3].replacingNumber(with: 5)], "its pages [5] can't be verified"),
    ]
    // Authentic, but of another size than its header says.
    attempts.append((frames.dropLast(), "its header can't be read"))
    for (index, (attempt, reason)) in attempts.enumerated() {
      let pageCount = index == attempts.count - 1 ? frames.count - 1 : frames.count
      let error = #expect(throws: DatabaseError.self) {
        let file = try RestoredFile(at: target, key: derived, settings: settings)
        try write(attempt.flatMap(\.self), to: file, derived)
        try file.finish(pageCount: pageCount)
      }
      #expect(error?.resultCode == .SQLITE_CORRUPT)
      #expect(error?.message == "the restored database is damaged: \(reason)")
      try requireNothingLeft()
    }
  }
}

extension [UInt8] {
  fileprivate func replacingNumber(with number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + dropFirst(4)
  }
}
