/// The reason why the tool fails, and its exit code.
struct ToolError: Error, CustomStringConvertible {
  /// Exit codes, from `sysexits.h` where it defines one.
  enum Code: Int32 {
    /// A check of the demo has failed.
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
