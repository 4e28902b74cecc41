import Foundation

/// A program that runs to its end.
package enum Command {
  /// The exit status of the program, and what it writes, including standard error; nil where it
  /// can't be started.
  package static func run(
    _ executable: String, _ arguments: [String], input: String? = nil
  ) -> (status: CInt, output: String)? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = output
    let standardInput = input.map { _ in Pipe() }
    if let standardInput { process.standardInput = standardInput }
    guard (try? process.run()) != nil else { return nil }
    if let standardInput, let input {
      standardInput.fileHandleForWriting.write(Data(input.utf8))
      try? standardInput.fileHandleForWriting.close()
    }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}

/// SQLCipher's own shell, of the generation that the tests run with.
package enum Shell {
  /// The path in `$COFFER_SQLCIPHER_SHELL`, or that of the distribution's package; nil where there
  /// is no shell.
  package static let path: String? = {
    let candidates = [
      ProcessInfo.processInfo.environment["COFFER_SQLCIPHER_SHELL"], "/usr/bin/sqlcipher",
    ]
    return candidates.compactMap(\.self).first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// What the shell prints for lines of input, including standard error.
  package static func run(_ database: String, _ input: [String]) -> String {
    let lines = input.map { $0 + "\n" }.joined()
    return Command.run(path ?? "/nonexistent", ["-batch", database], input: lines)?.output ?? ""
  }
}
