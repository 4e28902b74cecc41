/// The reason why the tool fails, and its exit code.
struct ToolError: Error, CustomStringConvertible {
  /// Exit codes, from `sysexits.h` where it defines one.
  enum Code: Int32, CaseIterable {
    /// SQL or data failed.
    case failed = 1
    case usage = 2
    /// A check or a comparison has found something, or an archive doesn't reach what it has to.
    case found = 3
    /// An archive lacks commits for longer than is allowed.
    case behind = 4
    /// Nothing archives the file.
    case noArchiver = 5
    /// An archive has lost something, or has to archive all pages again.
    case gap = 6
    /// A file is not what it should be.
    case dataError = 65
    case noInput = 66
    /// The tool was built without what is needed.
    case unavailable = 69
    case software = 70
    case cantCreate = 73
    case inputOutput = 74
    /// Another program uses the file.
    case temporary = 75
    /// A follower's file isn't the one that it left, or not of the archive's history.
    case cannotFollow = 76
    /// The key is wrong or missing.
    case noPermission = 77
    case interrupted = 130
    case pipeClosed = 141
  }

  let code: Code
  let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// Calls `body`, and translates its errors as those of a file.
  static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw ToolError(error, path: path) }
  }
}
