import CSQLCipher
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// Failures of SQLite's reads and opens, one at a time, in a process of their own.
private enum Faults {
  nonisolated(unsafe) static var countdown = Int.max
  nonisolated(unsafe) static var isPersistent = false
  nonisolated(unsafe) static var hasStruck = false

  /// Whether this call fails.
  static func strike() -> Bool {
    if countdown == Int.max { return false }
    countdown -= 1
    guard countdown == 0 || countdown < 0 && isPersistent else { return false }
    hasStruck = true
    errno = EIO
    return true
  }

  static func install() {
    let vfs = sqlite3_vfs_find(nil)!
    func set(_ name: String, _ function: UnsafeRawPointer) {
      _ = vfs.pointee.xSetSystemCall(
        vfs, name, unsafeBitCast(function, to: sqlite3_syscall_ptr.self))
    }
    let read: @convention(c) (CInt, UnsafeMutableRawPointer, Int) -> Int = {
      Faults.strike() ? -1 : Glibc.read($0, $1, $2)
    }
    let pread: @convention(c) (CInt, UnsafeMutableRawPointer, Int, off_t) -> Int = {
      Faults.strike() ? -1 : Glibc.pread($0, $1, $2, $3)
    }
    set("read", unsafeBitCast(read, to: UnsafeRawPointer.self))
    set("pread", unsafeBitCast(pread, to: UnsafeRawPointer.self))
    set("pread64", unsafeBitCast(pread, to: UnsafeRawPointer.self))
  }

  /// Calls `body` with the first read failing, then the second one, until none is left to fail.
  static func sweep(
    persistent: Bool, _ body: (Int) throws -> Void,
    after check: (Int, Result<Void, any Error>) throws -> Void
  ) throws {
    isPersistent = persistent
    for number in 1..<100_000 {
      hasStruck = false
      countdown = number
      let result = Result { try body(number) }
      countdown = .max
      try check(number, result)
      if !hasStruck {
        #expect(number > 10 && (try? result.get()) != nil, "\(number): \(result)")
        return
      }
    }
  }
}

struct ReadFailureTests {
  static func make(_ path: String, _ key: DatabaseKey?) throws {
    var configuration = Configuration()
    configuration.key = key
    configuration.journalMode = .delete
    configuration.seedRandomFunctions()
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { db in
      try db.execute(
        sql: """
          PRAGMA auto_vacuum = FULL;
          CREATE TABLE t (a, b); CREATE INDEX i ON t (a);
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
          INSERT INTO t SELECT i, hex(randomblob(500)) FROM n;
          INSERT INTO t VALUES (0, zeroblob(9000));
          """)
    }
    try queue.close()
  }

  static func check(_ path: String, _ key: DatabaseKey?) throws {
    var configuration = Configuration()
    configuration.key = key
    configuration.readonly = true
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 21)
  }

  static func expectNoDamage(_ error: any Error, _ number: Int) {
    guard let error = error as? DatabaseError else {
      Issue.record("read \(number): \(error)")
      return
    }
    #expect(error.cipherDiagnosis == nil, "read \(number): \(error)")
    #expect(
      ![.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode), "read \(number): \(error)")
  }

  @Test(arguments: [true, false])
  func `a failure to read is no damage in a backup`(persistent: Bool) async {
    await #expect(processExitsWith: .success) { [persistent] in
      Faults.install()
      for key in [DatabaseKey.seeded(), nil] {
        let directory = try TemporaryDirectory()
        let (path, target) = (directory.path("db"), directory.path("backup"))
        try ReadFailureTests.make(path, key)
        try Faults.sweep(persistent: persistent) { _ in
          var configuration = Configuration()
          configuration.key = key
          let queue = try DatabaseQueue(path: path, configuration: configuration)
          defer { try? queue.close() }
          try queue.backup(toPath: target)
        } after: { number, result in
          switch result {
          case .success: try ReadFailureTests.check(target, key)
          case .failure(let error):
            ReadFailureTests.expectNoDamage(error, number)
            #expect(access(target, F_OK) != 0)
          }
          unlink(target)
          #expect(try directory.contents() == ["db"])
        }
      }
    }
  }

  @Test(arguments: [true, false])
  func `a failure to read is no damage in a conversion, and leaves one of the files`(
    persistent: Bool
  ) async {
    await #expect(processExitsWith: .success) { [persistent] in
      Faults.install()
      let directory = try TemporaryDirectory()
      let path = directory.path("db")
      let (key, new) = (DatabaseKey.seeded(column: 1), DatabaseKey.seeded(column: 2))
      try ReadFailureTests.make(path, key)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      try Faults.sweep(persistent: persistent) { _ in
        try DatabaseFile.convert(at: path, key: key, from: .default, newKey: new)
      } after: { number, result in
        switch result {
        case .success: try ReadFailureTests.check(path, new)
        case .failure(let error):
          ReadFailureTests.expectNoDamage(error, number)
          try ReadFailureTests.check(path, key)
        }
        #expect(try directory.contents() == ["db"])
        try bytes.write(to: URL(fileURLWithPath: path))
      }
    }
  }

  @Test(arguments: [true, false])
  func `a failure to read is no damage in a check of the pages`(persistent: Bool) async {
    await #expect(processExitsWith: .success) { [persistent] in
      Faults.install()
      let directory = try TemporaryDirectory()
      let path = directory.path("db")
      let key = DatabaseKey.seeded()
      try ReadFailureTests.make(path, key)
      try Faults.sweep(persistent: persistent) { _ in
        let queue = try DatabaseQueue(path: path, key: key)
        defer { try? queue.close() }
        let pages = try queue.checkCipherIntegrity()
        #expect(pages == [])
      } after: { number, result in
        if case .failure(let error) = result { ReadFailureTests.expectNoDamage(error, number) }
      }
    }
  }

  @Test(arguments: [true, false])
  func `a failure to read while the key is changed is told with the key that the file has`(
    persistent: Bool
  ) async {
    await #expect(processExitsWith: .success) { [persistent] in
      Faults.install()
      let directory = try TemporaryDirectory()
      let path = directory.path("db")
      let (old, new) = (DatabaseKey.seeded(column: 1), DatabaseKey.seeded(column: 2))
      func configuration(_ key: DatabaseKey) -> Configuration {
        var configuration = Configuration()
        configuration.key = key
        configuration.freshness = Freshness(anchor: .sidecar)
        return configuration
      }
      try ReadFailureTests.make(path, old)
      try DatabaseQueue(path: path, configuration: configuration(old)).close()
      let files = try directory.contents().map {
        (directory.path($0), try Data(contentsOf: URL(fileURLWithPath: directory.path($0))))
      }
      try Faults.sweep(persistent: persistent) { number in
        Faults.countdown = .max
        let queue = try DatabaseQueue(path: path, configuration: configuration(old))
        Faults.countdown = number
        defer { try? queue.close() }
        try queue.changeKey(to: new)
      } after: { number, result in
        var key = new
        if case .failure(let error) = result {
          let text = "\(error)"
          if !text.contains("has the new key") { key = old }
          if text.contains("could not be determined") {
            let fileKey = try FileKey.existing(at: path, key: new, settings: .default)
            key = try FileConnection.opens(path, with: fileKey) ? new : old
          }
        }
        let value = Result {
          let queue = try DatabaseQueue(path: path, configuration: configuration(key))
          defer { try? queue.close() }
          return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
        }
        #expect((try? value.get()) == 21, "read \(number): \(result), \(value)")
        for name in try directory.contents() { unlink(directory.path(name)) }
        for (path, bytes) in files { try bytes.write(to: URL(fileURLWithPath: path)) }
      }
    }
  }
}
