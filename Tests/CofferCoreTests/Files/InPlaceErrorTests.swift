import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

/// What is said about a new file once it has its name.
struct InPlaceErrorTests {
  let directory: TemporaryDirectory
  let path: String
  let key = DatabaseKey.seeded()
  let newKey = DatabaseKey.seeded()

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("db")
  }

  struct Stop: Error {}

  static func make(_ path: String, _ key: DatabaseKey?) throws {
    var configuration = Configuration()
    configuration.key = key
    configuration.journalMode = .delete
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('kept')")
    }
    try queue.close()
  }

  static func value(_ path: String, _ key: DatabaseKey?) throws -> String? {
    var configuration = Configuration()
    configuration.key = key
    configuration.readonly = true
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    return try queue.read { try String.fetchOne($0, sql: "SELECT a FROM t") }
  }

  @Test func `progress that throws at the end doesn't undo what is done`() throws {
    func stop(_ progress: DatabaseFile.Progress) throws {
      if progress.phase == .finished { throw Stop() }
    }
    try Self.make(path, nil)
    try DatabaseFile.encrypt(at: path, to: path, key: key, progress: stop)
    #expect(try Self.value(path, key) == "kept")
    try DatabaseFile.convert(
      at: path, key: key, from: .default, newKey: newKey, progress: stop)
    #expect(try Self.value(path, newKey) == "kept")
    let saved = directory.path("saved")
    _ = try DatabaseFile.salvage(at: path, key: newKey, to: saved, progress: stop)
    #expect(try Self.value(saved, newKey) == "kept")
    let queue = try DatabaseQueue(path: path, key: newKey)
    try queue.exportPlaintext(to: directory.path("plain"), progress: stop)
    try queue.backup(toPath: directory.path("backup"), key: key) {
      if $0.isCompleted { throw Stop() }
    }
    try queue.close()
    #expect(try Self.value(directory.path("plain"), nil) == "kept")
    #expect(try Self.value(directory.path("backup"), key) == "kept")
    try DatabaseFile.decrypt(at: path, key: newKey, to: path, progress: stop)
    #expect(try Self.value(path, nil) == "kept")
  }

  @Test func `a folder that can't be synced is told with what is in place`() throws {
    try Self.make(path, key)
    let faults = FileCalls.failingSyncs([EIO, EIO])
    let error = #expect(throws: DatabaseError.self) {
      try FileCalls.$current.withValue(faults) {
        try DatabaseFile.convert(at: path, key: key, from: .default, newKey: newKey)
      }
    }
    #expect(error?.extendedResultCode == .SQLITE_IOERR_DIR_FSYNC)
    #expect(error?.message?.contains("the new file is in place at \(path)") == true)
    #expect(try Self.value(path, newKey) == "kept")
    #expect(try directory.contents() == ["db"])
  }

  @Test(arguments: [[EINTR, EINTR], [EIO], [EINTR, EIO, EINTR], [EINVAL]])
  func `a folder is synced in another way, or again`(codes: [CInt]) throws {
    try Self.make(path, key)
    try FileCalls.$current.withValue(FileCalls.failingSyncs(codes)) {
      try DatabaseFile.convert(at: path, key: key, from: .default, newKey: newKey)
    }
    #expect(try Self.value(path, newKey) == "kept")
  }

  @Test func `slots go with a file whose folder can't be synced`() throws {
    let unlocker = KeyUnlocker.passphrase("p")
    let weak = PassphraseDerivation(function: .pbkdf2(iterations: 1000))
    _ = try KeySlots.create(forDatabaseAt: path, unlocker: unlocker, derivation: weak)
    let slots = DatabaseKey.slots(unlocker: unlocker)
    try Self.make(path, slots)
    let copy = directory.path("copy")
    // The slots of the copy are synced before the copy, and after their renaming.
    let faults = FileCalls.failingSyncs([EINTR, EINVAL, EINVAL, EIO, EIO])
    let error = #expect(throws: DatabaseError.self) {
      try FileCalls.$current.withValue(faults) {
        try DatabaseQueue(path: path, key: slots).backup(toPath: copy)
      }
    }
    #expect(error?.extendedResultCode == .SQLITE_IOERR_DIR_FSYNC)
    #expect(try Self.value(copy, slots) == "kept")
    #expect(try directory.contents() == ["copy", "copy-keys", "db", "db-keys"])
  }

  @Test func `slots whose folder can't be synced leave no copy, and are told as such`() throws {
    let unlocker = KeyUnlocker.passphrase("p")
    let weak = PassphraseDerivation(function: .pbkdf2(iterations: 1000))
    _ = try KeySlots.create(forDatabaseAt: path, unlocker: unlocker, derivation: weak)
    let slots = DatabaseKey.slots(unlocker: unlocker)
    try Self.make(path, slots)
    let copy = directory.path("copy")
    let queue = try DatabaseQueue(path: path, key: slots)
    let other = KeyUnlocker.passphrase("other")
    let operations: [() throws -> Void] = [
      { try queue.backup(toPath: copy) },
      {
        try queue.close()
        try DatabaseFile.convert(at: path, key: slots, from: .default, newPath: copy)
      },
      { _ = try DatabaseFile.salvage(at: path, key: slots, to: copy) },
      { try DatabaseQueue(path: path, key: slots).changeKey(to: .slots(unlocker: other)) },
    ]
    for operation in operations {
      let faults = FileCalls.failingSyncs([EIO, EIO])
      let error = databaseError {
        try FileCalls.$current.withValue(faults, operation: operation)
      }
      #expect(error?.extendedResultCode == .SQLITE_IOERR, "\(error as Any)")
      #expect(try directory.contents() == ["db", "db-keys"])
    }
    #expect(try Self.value(path, slots) == "kept")
  }

  @Test func `a copy without slots isn't made because they can't be read`() throws {
    let unlocker = KeyUnlocker.passphrase("p")
    let weak = PassphraseDerivation(function: .pbkdf2(iterations: 1000))
    let slots = try KeySlots.create(forDatabaseAt: path, unlocker: unlocker, derivation: weak)
    try Self.make(path, .slots(unlocker: unlocker))
    let dataKey = try slots.dataKey(authorizedBy: unlocker)
    let queue = try DatabaseQueue(path: path, key: .slots(unlocker: unlocker))
    // What isn't a regular file can't be read, nor can one on a disk that fails.
    unlink(slots.path)
    mkdir(slots.path, 0o700)
    let copy = directory.path("copy")
    #expect(databaseError { try queue.backup(toPath: copy) }?.resultCode == .SQLITE_IOERR)
    try queue.close()
    let converted = databaseError {
      try DatabaseFile.convert(at: path, key: dataKey, from: .default, newPath: copy)
    }
    #expect(converted?.resultCode == .SQLITE_IOERR)
    #expect(converted?.hint?.contains("move the file away") == true)
    let salvaged = databaseError {
      _ = try DatabaseFile.salvage(at: path, key: dataKey, to: copy)
    }
    #expect(salvaged?.resultCode == .SQLITE_IOERR)
    #expect(try directory.contents() == ["db", "db-keys"])
    rmdir(slots.path)
    try DatabaseFile.convert(at: path, key: dataKey, from: .default, newPath: copy)
    #expect(try Self.value(copy, dataKey) == "kept")
  }

  @Test func `slots that can't get their name stay for the next opening`() throws {
    let unlocker = KeyUnlocker.passphrase("p")
    let weak = PassphraseDerivation(function: .pbkdf2(iterations: 1000))
    _ = try KeySlots.create(forDatabaseAt: path, unlocker: unlocker, derivation: weak)
    let slots = DatabaseKey.slots(unlocker: unlocker)
    try Self.make(path, slots)
    let copy = directory.path("copy")
    // No file can be renamed to a folder.
    mkdir(copy + "-keys", 0o700)
    try DatabaseQueue(path: path, key: slots).backup(toPath: copy)
    #expect(try directory.contents().contains("copy-keys-next"))
    rmdir(copy + "-keys")
    #expect(try Self.value(copy, slots) == "kept")
  }

  @Test func `a lack of descriptors leaves the old file, or the new one without an error`() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let path = directory.path("db")
      let (old, new) = (DatabaseKey.seeded(column: 1), DatabaseKey.seeded(column: 2))
      try InPlaceErrorTests.make(path, old)
      let highest =
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        .compactMap { CInt($0) }.max() ?? 0
      // No number below is free.
      while open("/dev/null", O_RDONLY) < highest {}
      var limits = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
      let soft = limits.rlim_cur
      var failures = 0
      for more in 0..<40 {
        limits.rlim_cur = rlim_t(Int(highest) + more)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        let result = Result {
          try DatabaseFile.convert(at: path, key: old, from: .default, newKey: new)
        }
        limits.rlim_cur = soft
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        switch result {
        case .failure(let error):
          failures += 1
          let value = Result { try InPlaceErrorTests.value(path, old) }
          #expect((try? value.get()) == "kept", "\(more): \(error), \(value)")
        case .success:
          let value = Result { try InPlaceErrorTests.value(path, new) }
          #expect((try? value.get()) == "kept", "\(more): \(value)")
          unlink(path)
          try InPlaceErrorTests.make(path, old)
        }
      }
      #expect((1..<40).contains(failures), "\(failures)")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `a folder that can be written but not read is enough`() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      chown(directory.path, 65534, 65534)
      try #require(setgid(65534) == 0 && setuid(65534) == 0)
      chmod(directory.path, 0o300)
      defer { chmod(directory.path, 0o700) }
      try #require(open(directory.path, O_RDONLY) < 0)
      let path = directory.path("db")
      let (key, new) = (DatabaseKey.seeded(column: 1), DatabaseKey.seeded(column: 2))
      try InPlaceErrorTests.make(path, nil)
      try DatabaseFile.encrypt(at: path, to: path, key: key)
      try DatabaseFile.convert(at: path, key: key, from: .default, newKey: new)
      #expect(try InPlaceErrorTests.value(path, new) == "kept")
      let queue = try DatabaseQueue(path: path, key: new)
      try queue.backup(toPath: directory.path("backup"), key: key)
      try queue.close()
      #expect(try InPlaceErrorTests.value(directory.path("backup"), key) == "kept")
      try DatabaseFile.decrypt(at: path, key: new, to: path)
      #expect(try InPlaceErrorTests.value(path, nil) == "kept")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `a reader that can't make the index of a log is told so`() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let path = directory.path("db")
      var configuration = Configuration()
      configuration.key = DatabaseKey.seeded(column: 1)
      configuration.fileMode = 0o644
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
      try queue.close()
      chmod(directory.path, 0o755)
      try #require(setgid(65534) == 0 && setuid(65534) == 0)
      configuration.readonly = true
      for writer in [false, true] {
        configuration.readonly = !writer
        do {
          _ = try DatabaseQueue(path: path, configuration: configuration)
            .read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
          Issue.record("it was read")
        } catch let error as DatabaseError {
          #expect(error.hint?.contains("the log's index beside it") == true, "\(error)")
        }
      }
    }
  }
}
