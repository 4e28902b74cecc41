// Files of other SQLCiphers, of many settings:
//
//   CofferTestChild matrix version
//   CofferTestChild matrix use FOLDER
//   CofferTestChild matrix faults FOLDER EVERY SEED
//
// The names say the settings, as Scripts/check-matrix makes them:
// raw_p4096_k256000_SHA512_none_h0_wal.db. "use" opens each file, reads, writes, changes the key
// and changes it back, converts, decrypts and encrypts, and backs up. It leaves the file with a row
// more, and ….db.out, made here with the same settings. "faults" lets a call fail in the same
// operations, in each EVERYth file. They say "passed NAME" or "refused NAME: …", and "failed NAME:
// …" for what is wrong.

import CFaults
import CofferCore
import CofferTestSupport
import Foundation

/// A file and the settings that its name says.
private struct MatrixFile {
  let name: String
  let settings: CipherSettings
  let keyForm: String

  static let rowCount = 40
  private static let raw = [UInt8](0xC0..<0xE0)
  private static let salt = [UInt8](0xA0..<0xB0)

  init(_ name: String) throws {
    self.name = name
    let parts = name.dropLast(3).split(separator: "_").map(String.init)
    guard parts.count == 7, let pageSize = Int(parts[1].dropFirst()),
      let iterations = Int(parts[2].dropFirst()),
      let kdf = CipherSettings.Hash(rawValue: parts[3]), let header = Int(parts[5].dropFirst())
    else { throw ScenarioError("\(name) isn't a name of the matrix") }
    keyForm = parts[0]
    settings = CipherSettings(
      pageSize: pageSize, kdfIterations: iterations, kdfAlgorithm: kdf,
      hmacAlgorithm: CipherSettings.Hash(rawValue: parts[4]) ?? .sha1,
      usesHMAC: parts[4] != "none", plaintextHeaderSize: header)
  }

  static func all(in folder: String) throws -> [MatrixFile] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .filter { $0.hasSuffix(".db") }.map { try MatrixFile($0) }
  }

  func key() throws -> DatabaseKey {
    switch keyForm {
    case "pass": .passphrase("correct horse battery staple")
    case "salted": try .raw(Self.raw, salt: Self.salt)
    default: try .raw(Self.raw)
    }
  }

  /// Another key of the same form.
  func otherKey() throws -> DatabaseKey {
    let other = [UInt8](0x20..<0x40)
    switch keyForm {
    case "pass": return .passphrase("another passphrase")
    case "salted": return try .raw(other, salt: Self.salt)
    default: return try .raw(other)
    }
  }

  func open(
    _ path: String, key: DatabaseKey? = nil, settings: CipherSettings? = nil
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.key = try key ?? self.key()
    configuration.cipher = settings ?? self.settings
    configuration.busyMode = .immediateError
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// The names of the rows, if the database is sound.
  ///
  /// - Parameter isAuthenticated: Whether its pages have an HMAC.
  static func names(_ queue: DatabaseQueue, isAuthenticated: Bool) throws -> [String] {
    try queue.read { db in
      guard try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"],
        try Int.fetchOne(db, sql: "PRAGMA user_version") == 7,
        try !isAuthenticated || db.checkCipherIntegrity() == []
      else { throw ScenarioError("the database isn't sound") }
      return try String.fetchAll(db, sql: "SELECT name FROM items ORDER BY id")
    }
  }

  static func expected(_ count: Int) -> [String] { (1...count).map { "item \($0)" } }

  func check(
    _ queue: DatabaseQueue, _ count: Int, _ what: String, isAuthenticated: Bool? = nil
  ) throws {
    let names = try Self.names(queue, isAuthenticated: isAuthenticated ?? settings.usesHMAC)
    guard names == Self.expected(count) else { throw ScenarioError("\(what): \(names.count) rows") }
  }

  /// Why this process's SQLCipher doesn't have the settings; nil if it does.
  var refusal: String? {
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).db"
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) } }
    do {
      try open(path).close()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
      return error.message
    } catch {}
    return nil
  }
}

func runMatrix(_ arguments: [String]) throws {
  switch (arguments.first, arguments.count) {
  case ("version", 1):
    let queue = try DatabaseQueue(path: ":memory:")
    say(try queue.read { try String.fetchOne($0, sql: "PRAGMA cipher_version") } ?? "none")
  case ("use", 2):
    for file in try MatrixFile.all(in: arguments[1]) {
      if let refusal = file.refusal {
        say("refused \(file.name): \(refusal)")
        continue
      }
      do {
        try MatrixTrial(file, in: arguments[1]).run()
        say("passed \(file.name)")
      } catch {
        say("failed \(file.name): \(error)".replacingOccurrences(of: "\n", with: " "))
      }
    }
  case ("faults", 4):
    setenv("COFFER_STOCK_MEMORY", "1", 1)
    guard coffer_faults_install() == 0 else { throw ScenarioError("no faults can be installed") }
    var random = SeededGenerator(state: UInt64(arguments[3]) ?? 0)
    for (index, file) in try MatrixFile.all(in: arguments[1]).enumerated()
    where index % (Int(arguments[2]) ?? 1) == 0 && file.refusal == nil {
      try MatrixFaults(file, in: arguments[1]).run(&random)
    }
  default: throw ScenarioError("matrix version, use or faults")
  }
}

/// What is done with one file.
private struct MatrixTrial {
  let file: MatrixFile
  let path: String

  init(_ file: MatrixFile, in folder: String) {
    self.file = file
    path = "\(folder)/\(file.name)"
  }

  func run() throws {
    let count = MatrixFile.rowCount
    try useQueue(count)
    try copies(count + 1)
  }

  /// Reads, writes and changes the key in place.
  private func useQueue(_ count: Int) throws {
    let queue = try file.open(path)
    try file.check(queue, count, "as it was made")
    try queue.write { db in
      try db.execute(
        sql: "INSERT INTO items VALUES (?, ?, zeroblob(3000))",
        arguments: [count + 1, "item \(count + 1)"])
    }
    let other = try file.otherKey()
    try queue.changeKey(to: other)
    try file.check(queue, count + 1, "with the other key")
    try queue.close()
    do {
      try file.open(path).close()
      throw ScenarioError("the old key still opens the file")
    } catch let error as DatabaseError {
      guard error.cipherDiagnosis != nil else { throw error }
    }
    let again = try file.open(path, key: other)
    try again.changeKey(to: file.key())
    try file.check(again, count + 1, "with the first key again")
    try again.close()
  }

  /// Makes other files of it.
  private func copies(_ count: Int) throws {
    let (plain, converted, saved) = ("\(path).plain", "\(path).new", "\(path).saved")
    defer {
      for name in [plain, converted, saved] {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(name + suffix) }
      }
    }
    try DatabaseFile.decrypt(at: path, key: file.key(), cipher: file.settings, to: plain)
    let open = try DatabaseQueue(path: plain)
    try file.check(open, count, "decrypted", isAuthenticated: false)
    try open.close()
    try DatabaseFile.encrypt(
      at: plain, to: "\(path).out", key: file.key(), cipher: file.settings)
    let made = try file.open("\(path).out")
    try file.check(made, count, "encrypted")
    let backup = try file.open(saved)
    try made.backup(to: backup)
    try file.check(backup, count, "backed up")
    try backup.close()
    try made.close()
    try FileManager.default.copyItem(atPath: path, toPath: converted)
    if file.settings != .default {
      try DatabaseFile.convert(
        at: converted, key: file.key(), from: file.settings, to: .default)
    }
    let new = try file.open(converted, settings: .default)
    try file.check(new, count, "converted", isAuthenticated: true)
    try new.close()
  }
}

/// The same operations, while a call fails.
private struct MatrixFaults {
  let file: MatrixFile
  let source: String
  private let path: String

  init(_ file: MatrixFile, in folder: String) {
    self.file = file
    source = "\(folder)/\(file.name)"
    path = "\(folder)/faults/file"
  }

  private var operations: [(name: String, body: () throws -> Void)] {
    [
      (
        "write",
        {
          let queue = try file.open(path)
          try queue.write { try $0.execute(sql: "DELETE FROM items WHERE id = 1") }
          try queue.close()
        }
      ),
      (
        "key",
        {
          let queue = try file.open(path)
          try queue.changeKey(to: file.otherKey())
          try queue.close()
        }
      ),
      (
        "convert",
        {
          guard file.settings != .default else { return }
          try DatabaseFile.convert(
            at: path, key: file.key(), from: file.settings, to: .default)
        }
      ),
    ]
  }

  func run(_ random: inout SeededGenerator) throws {
    for (operation, body) in operations {
      for (kind, name) in FaultTrials.kinds {
        // Its number of calls, without a fault.
        let calls = try trial(kind, Int.max, body)
        guard calls > 0 else { continue }
        let number = Int.random(in: 1...calls, using: &random)
        do {
          _ = try trial(kind, number, body)
          say("passed \(file.name) \(operation) \(name) \(number)")
        } catch {
          let text = "failed \(file.name) \(operation) \(name) \(number): \(error)"
          say(text.replacingOccurrences(of: "\n", with: " "))
        }
      }
    }
  }

  private func trial(_ kind: CInt, _ number: Int, _ body: () throws -> Void) throws -> Int {
    let files = FileManager.default
    let folder = (path as NSString).deletingLastPathComponent
    try? files.removeItem(atPath: folder)
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for suffix in ["", "-wal", "-journal"] where files.fileExists(atPath: source + suffix) {
      try files.copyItem(atPath: source + suffix, toPath: path + suffix)
    }
    coffer_faults_arm(kind, number, 0)
    var failure: (any Error)?
    do { try body() } catch { failure = error }
    coffer_faults_disarm()
    let calls = coffer_faults_calls()
    if let error = failure as? DatabaseError {
      switch error.cipherDiagnosis {
      case nil: break
      default: throw ScenarioError("a diagnosis: \(error)")
      }
    } else if let failure {
      throw failure
    }
    try verify()
    return calls
  }

  /// The file opens with one of the keys and settings, and has the rows from before or after.
  private func verify() throws {
    let attempts = [
      (try file.key(), file.settings), (try file.otherKey(), file.settings),
      (try file.key(), CipherSettings.default),
    ]
    var last: (any Error)?
    for (key, settings) in attempts {
      do {
        let queue = try file.open(path, key: key, settings: settings)
        let names = try MatrixFile.names(queue, isAuthenticated: settings.usesHMAC)
        try queue.close()
        let all = MatrixFile.expected(MatrixFile.rowCount)
        guard names == all || names == Array(all.dropFirst()) else {
          throw ScenarioError("\(names.count) rows")
        }
        return
      } catch let error as DatabaseError { last = error }
    }
    throw last ?? ScenarioError("nothing opens the file")
  }
}
