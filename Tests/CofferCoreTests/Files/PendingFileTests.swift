import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import CofferCore

struct PendingFileTests {
  let directory: TemporaryDirectory
  var target: String { directory.path("new") }
  var partial: String { target + ".coffer-partial" }

  init() throws { directory = try TemporaryDirectory() }

  func bytes(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map(Array.init)
  }

  func make(_ path: String, _ text: String) {
    _ = FileManager.default.createFile(atPath: path, contents: Data(text.utf8))
  }

  func expectRefusal(_ reason: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) {
      try PendingFile(for: target)
    }
    #expect(error?.resultCode == .SQLITE_PERM, sourceLocation: sourceLocation)
    #expect("\(error as Any)".contains(reason), "\(error as Any)", sourceLocation: sourceLocation)
  }

  // MARK: Planted files

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
  func `a file of another user is refused, and stays as it is`() throws {
    make(partial, "planted")
    chown(partial, 65534, 65534)
    chmod(partial, 0o666)
    let reader = open(partial, O_RDONLY)
    defer { close(reader) }
    expectRefusal("another user")
    #expect(bytes(partial) == Array("planted".utf8))
    let key = DatabaseKey.seeded()
    let database = try EncryptedQueue("CREATE TABLE t (a); INSERT INTO t VALUES ('secret')")
    #expect(throws: DatabaseError.self) { try database.queue.exportPlaintext(to: target) }
    #expect(throws: DatabaseError.self) { try database.queue.backup(toPath: target, key: key) }
    #expect(bytes(partial) == Array("planted".utf8))
    #expect(try directory.contents() == ["new.coffer-partial"])
  }

  @Test func `a second name of another file is refused, and the file keeps its content`() throws {
    let victim = directory.path("victim")
    make(victim, "precious")
    link(victim, partial)
    expectRefusal("another name")
    #expect(bytes(victim) == Array("precious".utf8))
  }

  @Test func `a symbolic link, a pipe and a folder are refused`() throws {
    let victim = directory.path("victim")
    make(victim, "precious")
    symlink(victim, partial)
    expectRefusal("regular file")
    #expect(bytes(victim) == Array("precious".utf8))
    unlink(partial)
    symlink(directory.path("missing"), partial)
    expectRefusal("regular file")
    unlink(partial)
    mkfifo(partial, 0o600)
    expectRefusal("regular file")
    unlink(partial)
    mkdir(partial, 0o700)
    expectRefusal("regular file")
    #expect(try directory.contents() == ["new.coffer-partial", "victim"])
  }

  @Test func `what a killed process left is removed, not written to`() throws {
    make(partial, "left")
    make(partial + "-journal", "left")
    make(partial + "-wal", "left")
    chmod(partial, 0o444)
    let old = open(partial, O_RDONLY)
    defer { close(old) }
    let file = try PendingFile(for: target)
    #expect(try directory.contents() == ["new.coffer-partial"])
    try file.write(Array("new".utf8))
    var status = stat()
    fstat(old, &status)
    #expect(status.st_size == 4)
    #expect(status.st_nlink == 0)
    try file.moveToTarget(replaces: false)
    #expect(bytes(target) == Array("new".utf8))
    stat(target, &status)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `what is beside the file and can't be removed is an error`() throws {
    mkdir(partial + "-journal", 0o700)
    let error = #expect(throws: DatabaseError.self) { try PendingFile(for: target) }
    #expect("\(error as Any)".contains("-journal"))
    #expect(try directory.contents() == ["new.coffer-partial-journal"])
  }

  @Test func `an existing file isn't replaced, and stays as it is`() throws {
    let file = try PendingFile(for: target)
    make(target, "old")
    let error = #expect(throws: DatabaseError.self) { try file.moveToTarget(replaces: false) }
    #expect(error?.resultCode == .SQLITE_CANTOPEN)
    #expect(bytes(target) == Array("old".utf8))
    file.discard()
    #expect(try directory.contents() == ["new"])
  }

  // MARK: Locks

  @Test func `a file that is being written is busy, and stays with its writer`() throws {
    let file = try PendingFile(for: target)
    try file.write(Array("first".utf8))
    let error = #expect(throws: DatabaseError.self) { try PendingFile(for: target) }
    #expect(error?.resultCode == .SQLITE_BUSY)
    try file.moveToTarget(replaces: false)
    #expect(bytes(target) == Array("first".utf8))
  }

  @Test(arguments: [true, false])
  func `the lock ends though a process that is being started has a copy of it`(
    isMoved: Bool
  ) throws {
    let file = try PendingFile(for: target)
    // A copy of the descriptor, as a child has it until its exec.
    let copy = dup(try #require(try OpenFiles.descriptors(of: partial).first))
    let other = open(partial, O_RDWR)
    defer {
      close(copy)
      close(other)
    }
    #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
    if isMoved { try file.moveToTarget(replaces: false) } else { file.discard() }
    #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
  }

  @Test func `one of many writers at a time has the file, whatever killed ones leave`() async throws
  {
    let holders = Atomic(0)
    let moves = Atomic(0)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { writer in
      for round in 0..<400 {
        do {
          let file = try PendingFile(for: target)
          if holders.add(1, ordering: .sequentiallyConsistent).oldValue != 0 {
            failures.withLock { $0.append("two writers") }
          }
          let mine = Array("\(writer) \(round)".utf8)
          try file.write(mine)
          sched_yield()
          if bytes(partial) != mine { failures.withLock { $0.append("not its own file") } }
          holders.subtract(1, ordering: .sequentiallyConsistent)
          switch round % 3 {
          case 0:
            try file.moveToTarget(replaces: true)
            moves.add(1, ordering: .relaxed)
          case 1: file.discard()
          default:
            file.discard()
            // As a killed process leaves it: there, and not locked.
            close(open(partial, O_RDWR | O_CREAT | O_EXCL, 0o600))
          }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
          sched_yield()
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(failures.withLock(\.self) == [])
    #expect(moves.load(ordering: .relaxed) > 0)
    try PendingFile(for: target).discard()
    #expect(try directory.contents().filter { $0 != "new" } == [])
  }
}
