import FoundationEssentials
import Glibc

extension DatabaseQueue {
  /// Executes `body` on a new file, which is opened as a database is with `configuration`, and
  /// deleted afterwards.
  ///
  /// A file, since preparations may ask SQLite for what it grants files alone. It is encrypted with a
  /// key that nobody knows, unless it is to be like a plaintext database.
  package static func withTemporaryFile<T>(
    like configuration: Configuration, isEncrypted: Bool = true,
    _ body: (Database) throws -> T
  ) throws -> T {
    var configuration = configuration
    configuration.readonly = false
    configuration.journalMode = .default
    configuration.observesExternalChanges = false
    // The caller may be on these.
    configuration.targetQueue = nil
    configuration.writeTargetQueue = nil
    configuration.label = "Coffer.temporary"
    configuration.replaceKey(with: isEncrypted ? .randomWithSalt() : nil)
    var template = Array(
      (FileManager.default.temporaryDirectory.path + "/coffer-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "a temporary folder can't be made",
        hint: "Check TMPDIR, and the permissions of that folder.")
    }
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let queue = try DatabaseQueue(path: folder + "/database", configuration: configuration)
    defer { try? queue.close() }
    return try queue.inDatabase(body)
  }
}
