import CofferVault
import FoundationEssentials
import Glibc

extension DatabaseQueue {
  /// Executes `body` on a new file, opened with `configuration` and deleted afterwards.
  ///
  /// It uses a file because preparations can need what SQLite supports for files only. The file is
  /// encrypted with a random key, unless `isEncrypted` is false.
  package static func withTemporaryFile<T>(
    like configuration: Configuration, isEncrypted: Bool = true,
    _ body: (Database) throws -> T
  ) throws -> T {
    var configuration = configuration
    configuration.readonly = false
    configuration.journalMode = .delete
    configuration.freshness = nil
    configuration.observesExternalChanges = false
    // The caller may be running on these queues.
    configuration.targetQueue = nil
    configuration.writeTargetQueue = nil
    configuration.label = "Coffer.temporary"
    configuration.replaceKey(with: isEncrypted ? .randomWithSalt() : nil)
    var template = Array(
      (FileManager.default.temporaryDirectory.path + "/coffer-XXXXXX").utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "a temporary folder can't be created",
        hint: "Check TMPDIR, and the permissions of that folder.")
    }
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let queue = try DatabaseQueue(path: folder + "/database", configuration: configuration)
    defer { try? queue.close() }
    return try queue.inDatabase(body)
  }
}
