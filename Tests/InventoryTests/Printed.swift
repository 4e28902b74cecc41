@testable import Inventory

/// Keeps what is printed.
final class Printed {
  private(set) var text = ""

  var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// The text as if no line had been broken, and no column aligned.
  var words: String { text.split { $0.isWhitespace }.joined(separator: " ") }

  func output(width: Int = 100) -> Output {
    Output(width: width) { self.text += $0 }
  }

  /// The text beside a term.
  func fact(_ term: String) -> String? {
    lines.first { $0.hasPrefix("  \(term)  ") }?.dropFirst(term.count + 2)
      .drop { $0 == " " }.description
  }
}
