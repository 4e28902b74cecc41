import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore
@testable import CofferVault

@Suite struct FolderDestinationTests {
  @Test func `an object is stored once, whole, and found again`() throws {
    let folder = try TemporaryDirectory()
    let destination = FolderDestination(path: folder.path("archive"))
    #expect(try destination.list("log/") == [])
    #expect(try destination.get("log/1") == nil)
    try destination.delete("log/1")
    let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    #expect(try destination.putIfAbsent("log/2", bytes))
    #expect(try !destination.putIfAbsent("log/2", Data("other".utf8)))
    #expect(try destination.putIfAbsent("log/1", Data()))
    #expect(try destination.get("log/2") == bytes)
    #expect(try destination.get("log/1") == Data())
    #expect(try destination.list("log/") == ["log/1", "log/2"])
    #expect(try destination.list("log/2") == ["log/2"])
    #expect(try destination.list("layer/") == [])
    try destination.delete("log/2")
    #expect(try destination.list("log/") == ["log/1"])
  }

  @Test func `of many threads that store an object, one does`() throws {
    let folder = try TemporaryDirectory()
    for trial in 0..<trialCount(40) {
      let stored = Locked<[Int]>([])
      let (start, group) = (Rendezvous(6), DispatchGroup())
      for thread in 0..<6 {
        detachThread(group: group) {
          let destination = FolderDestination(path: folder.path("archive"))
          start.meet()
          // That another one is writing it is an error, after which an archive tries again.
          while true {
            do {
              let bytes = Data(repeating: UInt8(thread), count: 10_000 + thread)
              if try destination.putIfAbsent("log/\(trial)", bytes) { stored.append(thread) }
              return
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
              usleep(200)
            }
          }
        }
      }
      group.wait()
      #expect(stored.value.count == 1)
      let data = try FolderDestination(path: folder.path("archive")).get("log/\(trial)")
      let thread = stored.value.first ?? 0
      #expect(data == Data(repeating: UInt8(thread), count: 10_000 + thread))
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("archive/log"))
        .allSatisfy { !$0.contains("partial") })
  }

  @Test func `nothing is made where a disk isn't mounted`() throws {
    let folder = try TemporaryDirectory()
    let destination = FolderDestination(path: folder.path("disk/archive"))
    #expect(throws: DatabaseError.self) { try destination.putIfAbsent("log/1", Data()) }
    #expect(try folder.contents() == [])
  }

  @Test func `a part of a path is no folder`() throws {
    let folder = try TemporaryDirectory()
    try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.path("vault.db")))
    for path in ["vault.db\0x", "\0x", "new\0x"] {
      let destination = FolderDestination(path: folder.path(path))
      #expect(throws: DatabaseError.self) { try destination.delete("a") }
      #expect(throws: DatabaseError.self) { try destination.putIfAbsent("a", Data()) }
      #expect(throws: DatabaseError.self) { try destination.get("a") }
      #expect(throws: DatabaseError.self) { try destination.list("") }
    }
    #expect(try folder.contents() == ["vault.db"])
  }

  @Test func `names lead nowhere else`() throws {
    let folder = try TemporaryDirectory()
    let destination = FolderDestination(path: folder.path("archive"))
    try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.path("secret")))
    for name in [
      "../secret", "log/../../secret", "..", ".", "", "/", "log//1", "/etc/passwd", "log/.hidden",
      "log/1\0", "./log/1",
    ] {
      #expect(throws: DatabaseError.self, "\(name)") {
        try destination.putIfAbsent(name, Data("x".utf8))
      }
      #expect(throws: DatabaseError.self, "\(name)") { try destination.get(name) }
      #expect(throws: DatabaseError.self, "\(name)") { try destination.delete(name) }
    }
    #expect(try String(contentsOfFile: folder.path("secret"), encoding: .utf8) == "mine")
    #expect(try folder.contents().filter { $0 != "archive" } == ["secret"])
  }

  @Test func `links, folders and pipes are no objects, and nothing is written through them`() throws
  {
    let folder = try TemporaryDirectory()
    let destination = FolderDestination(path: folder.path("archive"))
    _ = try destination.putIfAbsent("log/0", Data("x".utf8))
    let target = folder.path("target")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
    let log = folder.path("archive/log/")
    let files = FileManager.default
    try files.createSymbolicLink(atPath: log + "1", withDestinationPath: target)
    try files.createSymbolicLink(atPath: log + "2", withDestinationPath: folder.path("nowhere"))
    try files.createDirectory(atPath: log + "3", withIntermediateDirectories: false)
    #expect(mkfifo(log + "4", 0o600) == 0)
    try files.createSymbolicLink(
      atPath: log + "5.coffer-partial", withDestinationPath: target)
    #expect(try destination.list("log/") == ["log/0"])
    for name in ["log/1", "log/2", "log/3", "log/4"] {
      #expect(try !destination.putIfAbsent(name, Data("changed".utf8)), "\(name)")
      #expect(throws: ArchiveError.notAFile(name)) { try destination.get(name) }
    }
    _ = try? destination.putIfAbsent("log/5", Data("changed".utf8))
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
    #expect(!files.fileExists(atPath: folder.path("nowhere")))
    // Deleting a link's name leaves its target.
    try destination.delete("log/1")
    #expect(files.fileExists(atPath: target))
  }

  @Test func `a file that is larger than any object is refused`() throws {
    let folder = try TemporaryDirectory()
    let destination = FolderDestination(path: folder.path)
    _ = try destination.putIfAbsent("log/1", Data("x".utf8))
    for size in [10 << 30, 64 << 20 + 1] {
      #expect(truncate(folder.path("log/1"), size) == 0)
      #expect(throws: DatabaseError.self) { try destination.get("log/1") }
    }
  }

  private static func invalid() -> CInt {
    errno = EINVAL
    return -1
  }

  @Test func `a file system that can't keep two writers apart is an error`() throws {
    let folder = try TemporaryDirectory()
    let destination = FolderDestination(path: folder.path("archive"))
    #expect(try destination.putIfAbsent("log/1", Data("x".utf8)))
    var calls = FileCalls.system
    calls.renameToNew = { _, _ in Self.invalid() }
    calls.link = { _, _ in Self.invalid() }
    FileCalls.$current.withValue(calls) {
      let error = #expect(throws: DatabaseError.self) {
        try destination.putIfAbsent("log/2", Data("x".utf8))
      }
      #expect(error?.message?.contains("two writers") == true)
    }
    #expect(try destination.list("log/") == ["log/1"])
    #expect(try folder.contents().filter { $0.contains("partial") } == [])
  }

  @Test func `pruning deletes partial files a day after they were left`() throws {
    let fixture = try ArchiveFixture()
    let destination = FolderDestination(path: fixture.folder.path("archive"))
    let archive = ArchiveFixture.archived(fixture, to: destination)
    let session = try archive.start(fixture.pool)
    try session.archiveNow()
    try session.stop()
    let (old, new) = (ObjectName.part(3, of: 77), ObjectName.part(4, of: 77))
    for (name, age) in [(old, 90_000.0), (new, 1_000.0)] {
      let path = destination.path + "/" + name + ".coffer-partial"
      try Data("left".utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
    }
    #expect(try archive.prune(key: ArchiveFixture.key) >= 1)
    let left = try FileManager.default.contentsOfDirectory(atPath: destination.path + "/layer")
      .filter { $0.hasSuffix("partial") }
    #expect(left == [String(new.dropFirst("layer/".count)) + ".coffer-partial"])
    #expect(try archive.verify(key: ArchiveFixture.key) == [])
  }

  @Test(.enabled(if: geteuid() != 0))
  func `a folder that can't be read or written is an error`() throws {
    let folder = try TemporaryDirectory()
    let destination = FolderDestination(path: folder.path)
    _ = try destination.putIfAbsent("log/1", Data("x".utf8))
    #expect(chmod(folder.path("log"), 0) == 0)
    #expect(throws: DatabaseError.self) { try destination.list("log/") }
    #expect(throws: DatabaseError.self) { try destination.putIfAbsent("log/2", Data()) }
    #expect(throws: DatabaseError.self) { try destination.get("log/1") }
    #expect(chmod(folder.path("log"), 0o700) == 0)
  }

  @Test func `a path that is a file is an error, and the file stays`() throws {
    let folder = try TemporaryDirectory()
    try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.path("file")))
    let destination = FolderDestination(path: folder.path("file"))
    #expect(throws: (any Error).self) { try destination.list("log/") }
    #expect(throws: (any Error).self) { try destination.putIfAbsent("log/1", Data()) }
    #expect(try String(contentsOfFile: folder.path("file"), encoding: .utf8) == "mine")
  }

  @Test func `what killed writers left is hidden, and replaced`() throws {
    let fixture = try ArchiveFixture()
    let destination = FolderDestination(path: fixture.folder.path("archive"))
    let archive = ArchiveFixture.archived(fixture, to: destination)
    var session = try archive.start(fixture.pool)
    try fixture.write()
    try session.archiveNow()
    try session.stop()
    let next = ObjectName.segment(2)
    let part = ObjectName.part(3, of: 77)
    for name in [next, part] {
      try Data("left".utf8).write(
        to: URL(fileURLWithPath: destination.path + "/" + name + ".coffer-partial"))
    }
    #expect(try !destination.list("log/").contains { $0.contains("partial") })
    session = try archive.start(fixture.pool)
    try fixture.write()
    try session.archiveNow()
    try session.stop()
    try archive.prune(key: ArchiveFixture.key)
    let files = FileManager.default
    #expect(!files.fileExists(atPath: destination.path + "/" + next + ".coffer-partial"))
    #expect(try archive.verify(key: ArchiveFixture.key) == [])
  }
}
