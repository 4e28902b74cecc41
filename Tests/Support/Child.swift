import Foundation

/// A run of Tests/Child, to be killed.
final class Child {
  private let process = Process()
  private let output = Pipe()
  private var buffer = Data()

  init(_ arguments: String...) throws {
    process.executableURL = Child.executable
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  /// Beside the test bundle's own executable.
  private static let executable: URL = {
    let test = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return test.deletingLastPathComponent().appendingPathComponent("CofferTestChild")
  }()

  /// The next line, or nil at the end.
  func readLine() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        let line = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
        buffer = Data(buffer[(end + 1)...])
        return line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      buffer += more
    }
  }

  /// Kills the process, if it is still there, and waits for its end.
  /// - Returns: The lines that it had still said.
  @discardableResult
  func kill() -> [String] {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    var lines: [String] = []
    while let line = readLine() { lines.append(line) }
    return lines
  }
}

/// SQLCipher's own shell, of the generation that the tests run.
enum Shell {
  /// Its path: `$COFFER_SQLCIPHER_SHELL`, or that of the distribution's package; nil where there
  /// is none.
  static let path: String? = {
    let candidates = [
      ProcessInfo.processInfo.environment["COFFER_SQLCIPHER_SHELL"], "/usr/bin/sqlcipher",
    ]
    return candidates.compactMap(\.self).first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// What the shell prints, standard error included, for lines of input.
  static func run(_ database: String, _ input: [String]) throws -> String {
    let process = Process()
    let pipe = Pipe()
    let standardInput = Pipe()
    process.executableURL = URL(fileURLWithPath: path ?? "/nonexistent")
    process.arguments = ["-batch", database]
    process.standardInput = standardInput
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    standardInput.fileHandleForWriting.write(Data((input.joined(separator: "\n") + "\n").utf8))
    try standardInput.fileHandleForWriting.close()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }
}
