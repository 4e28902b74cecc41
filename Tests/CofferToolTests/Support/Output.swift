import Synchronization

@testable import CofferToolKit

/// Keeps the tool's output.
final class Output: Sendable {
  private let written = Mutex("")
  private let errors = Mutex("")

  var text: String { written.withLock { $0 } }
  var errorText: String { errors.withLock { $0 } }
  /// The text as if no line had been broken, and no column aligned.
  var words: String { text.split { $0.isWhitespace }.joined(separator: " ") }
  var lines: [String] { text.split(separator: "\n").map(String.init) }

  func console(isTerminal: Bool = false, width: Int = 100) -> Console {
    Console(
      isTerminal: isTerminal, width: width, isStyled: isTerminal,
      write: { text in self.written.withLock { $0 += text } },
      writeError: { text in self.errors.withLock { $0 += text } })
  }

  /// Runs the tool like its main program.
  func run(_ arguments: String..., isTerminal: Bool = false, width: Int = 100) -> Int32 {
    Tool.run(arguments, console: console(isTerminal: isTerminal, width: width))
  }
}
