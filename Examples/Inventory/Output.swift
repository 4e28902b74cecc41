import Foundation

/// What the program prints, in lines that fit the terminal.
///
/// A package can have any name: characters that control a terminal become spaces.
final class Output: TextOutputStream {
  private let width: Int
  private let writeText: (String) -> Void

  init(width: Int = 100, writeText: @escaping (String) -> Void) {
    self.width = width
    self.writeText = writeText
  }

  /// The width of the terminal; 100 columns elsewhere.
  static var terminalWidth: Int {
    var size = winsize()
    let isTerminal = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isTerminal ? min(max(Int(size.ws_col), 40), 140) : 100
  }

  func write(_ text: String) {
    let scalars = text.unicodeScalars.map { $0 == "\n" ? $0 : $0.isPrintable ? $0 : " " }
    writeText(String(String.UnicodeScalarView(scalars)))
  }

  func line(_ text: String = "") {
    write(text.replacing("\n", with: " ") + "\n")
  }

  /// Writes a title after an empty line.
  func heading(_ text: String) {
    line()
    text.wrapped(to: width).forEach(line)
  }

  /// Writes indented, wrapped text.
  func text(_ text: String) {
    for part in text.wrapped(to: width - 2) { line("  " + part) }
  }

  /// Writes indented terms, with wrapped text beside them.
  func facts(_ facts: [(term: String, text: String)]) {
    let column = 2 + (facts.map(\.term.count).max() ?? 0)
    for (term, text) in facts {
      for (index, part) in text.wrapped(to: width - 2 - column).enumerated() {
        line("  " + (index == 0 ? term : "").padded(to: column) + part)
      }
    }
  }

  /// Writes an indented table.
  func table(_ table: TextTable) {
    for row in table.lines(width: width - 2) { line("  " + row) }
  }
}

// MARK: Text

extension Unicode.Scalar {
  /// Whether a terminal shows it, instead of doing what it says.
  fileprivate var isPrintable: Bool {
    ![.control, .format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
  }
}

extension String {
  /// Returns lines of at most `width` characters, broken at spaces. Longer words stay whole.
  func wrapped(to width: Int) -> [String] {
    split(whereSeparator: \.isWhitespace).reduce(into: []) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
  }

  /// Returns the text, or its beginning and `…`.
  func cut(to width: Int) -> String {
    count > width ? prefix(width - 1) + "…" : self
  }

  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  func paddedLeft(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}

// MARK: Numbers

extension Int {
  /// "1 package", "1,200 packages".
  func counting(_ noun: String, _ plural: String? = nil) -> String {
    "\(formatted()) \(self == 1 ? noun : plural ?? noun + "s")"
  }

  /// KiB as MiB: "1.5 MiB".
  var asMebibytes: String { (Double(self) / 1024).text() + " MiB" }
}

extension Double {
  /// "1,234.5", with `digits` digits after the point.
  func text(digits: Int = 1) -> String {
    formatted(.number.precision(.fractionLength(digits)))
  }
}

extension Duration {
  /// "0.4 ms".
  var text: String { (self / .milliseconds(1)).text() + " ms" }
}
