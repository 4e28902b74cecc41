/// Why the tool gives up, and the code that it exits with.
struct ToolError: Error, CustomStringConvertible {
  /// Exit codes, those of `sysexits.h` where it has one.
  enum Code: Int32 {
    /// What was to be shown isn't so.
    case failed = 1
    case usage = 64
    case dataError = 65
    case noInput = 66
    case software = 70
    case cantCreate = 73
  }

  let code: Code
  let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
