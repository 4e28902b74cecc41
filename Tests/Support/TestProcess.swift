import Foundation
import Synchronization

/// A run of Tests/Child that can be read from, answered and killed.
///
/// A thread collects what it prints.
package final class TestProcess: Sendable {
  private struct State {
    var lines: [String] = []
    var unfinished = Data()
    var isAtEnd = false
  }

  private let process: Mutex<Process>
  private let input = Pipe()
  private let state = Mutex(State())
  private let errorText: String
  private let arrival = DispatchSemaphore(value: 0)
  package let processIdentifier: pid_t

  package init(_ arguments: [String], environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = TestProcess.program("CofferTestChild")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(["COFFER_TEST_SEED": "\(SeededGenerator.seed)"]) { $1 }
      .merging(environment) { $1 }
    let output = Pipe()
    errorText =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("coffer-child-\(UUID().uuidString)").path
    try Data().write(to: URL(fileURLWithPath: errorText))
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle(forWritingAtPath: errorText)
    try process.run()
    processIdentifier = process.processIdentifier
    self.process = Mutex(process)
    Thread.detachNewThread { [self] in
      while true {
        let more = output.fileHandleForReading.availableData
        state.withLock { state in
          state.unfinished += more
          state.isAtEnd = more.isEmpty
          while let end = state.unfinished.firstIndex(of: 0x0A) {
            let start = state.unfinished.startIndex
            state.lines.append(String(decoding: state.unfinished[start..<end], as: UTF8.self))
            state.unfinished = Data(state.unfinished[(end + 1)...])
          }
        }
        arrival.signal()
        if more.isEmpty { return }
      }
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: errorText) }

  /// A program of the package, beside the test bundle's own executable.
  package static func program(_ name: String) -> URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent(name)
  }

  /// The next line if it has arrived.
  package func nextLineIfAny() -> String? {
    state.withLock { $0.lines.isEmpty ? nil : $0.lines.removeFirst() }
  }

  /// The next line, or nil at the end.
  package func readLine() -> String? {
    while true {
      let (line, isAtEnd): (String?, Bool) = state.withLock { state in
        state.lines.isEmpty ? (nil, state.isAtEnd) : (state.lines.removeFirst(), false)
      }
      if line != nil || isAtEnd { return line }
      arrival.wait()
    }
  }

  /// Whether all that it has printed was read, and nothing more can come.
  package var isAtEnd: Bool { state.withLock { $0.isAtEnd && $0.lines.isEmpty } }

  /// Sends an empty line, for which the child waits.
  package func goOn() {
    input.fileHandleForWriting.write(Data("\n".utf8))
  }

  /// Kills the process if it still runs, and waits for its end.
  /// - Returns: The lines that weren't read yet.
  @discardableResult
  package func kill() -> [String] {
    Foundation.kill(processIdentifier, SIGKILL)
    return finish().lines
  }

  /// Waits for the end of the process.
  /// - Returns: The exit status, the lines that weren't read yet, and standard error.
  package func finish() -> (status: CInt, lines: [String], error: String) {
    var lines: [String] = []
    while let line = readLine() { lines.append(line) }
    let status = process.withLock { process in
      process.waitUntilExit()
      return process.terminationStatus
    }
    let error = (try? String(contentsOfFile: errorText, encoding: .utf8)) ?? ""
    return (status, lines, error)
  }

  /// Runs the process to its end.
  package static func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> (status: CInt, lines: [String], error: String) {
    try TestProcess(arguments, environment: environment).finish()
  }
}
