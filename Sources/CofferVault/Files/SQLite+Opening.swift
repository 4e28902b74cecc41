import CofferSQLite
import Glibc

extension SQLite {
  /// Opens a connection, which isn't set up yet.
  ///
  /// - Parameter path: A path, or a URI if the flags say so.
  @safe package static func connect(
    to path: String, flags: SQLite.OpenFlags
  ) throws -> SQLiteConnection {
    do {
      return try SQLite.open(
        flags.contains(.uri) ? path : plainName(path), flags: flags.union(.noMutex))
    } catch {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: error.code), message: error.message, sql: nil,
        hint: hint(forOpening: path, canCreate: flags.contains(.create)))
    }
  }

  /// Returns a name that SQLite doesn't interpret as a URI, as SQLCipher 4 is built to.
  package static func plainName(_ path: String) -> String {
    path.hasPrefix("file:") ? "./" + path : path
  }

  private static func hint(forOpening path: String, canCreate: Bool) -> String {
    // SQLite doesn't say why a file can't be opened.
    let descriptor = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == EMFILE || errno == ENFILE {
      return "Too many files are open: allow more of them (ulimit -n), or close some."
    }
    Glibc.close(descriptor)
    switch DatabaseFile.inspect(at: path).kind {
    case .directory: return "The path is that of a folder."
    case .missing:
      let folder = path.contains("/") ? String(path[..<path.lastIndex(of: "/")!]) : "."
      guard canCreate else { return "There is no such file, and this connection can't create it." }
      return DatabaseFile.inspect(at: folder.isEmpty ? "/" : folder).kind == .missing
        ? "The folder doesn't exist: create it first."
        : "The file can't be created there: check the folder's permissions."
    default: return "Check the permissions of the file and of its folder."
    }
  }
}
