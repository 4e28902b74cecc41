import Glibc

/// Where the tool's output goes, and how much room there is.
struct Console {
  /// Whether lines may be overwritten, and styled.
  var isTerminal = false
  /// Columns in a line.
  var width = 100
  /// Whether headings are bold.
  var isStyled = false
  /// Takes text as it is.
  let write: (String) -> Void
  /// Takes text that is no result: errors, and how to use the tool.
  let writeError: (String) -> Void

  private static let indentation = "  "

  /// A line of text, which isn't broken.
  func line(_ text: String = "") {
    write(text + "\n")
  }

  /// A title, after an empty line.
  func heading(_ text: String) {
    let text = text.wrapped(to: width).joined(separator: "\n")
    write(isStyled ? "\n\u{1B}[1m\(text)\u{1B}[0m\n" : "\n\(text)\n")
  }

  /// Indented text, broken into lines.
  func text(_ text: String) {
    for line in text.wrapped(to: width - Self.indentation.count) {
      self.line(Self.indentation + line)
    }
  }

  /// An indented table.
  func table(_ table: TextTable) {
    for line in table.lines(width: width - Self.indentation.count) {
      self.line(Self.indentation + line)
    }
  }

  /// Indented terms, each with text beside it that is broken into lines.
  func facts(_ facts: [(term: String, text: String)]) {
    let column = (facts.map(\.term.terminalWidth).max() ?? 0) + 2
    for fact in facts {
      let lines = fact.text.printable.wrapped(
        to: max(20, width - Self.indentation.count - column))
      for (index, line) in lines.enumerated() {
        let term = index == 0 ? fact.term : ""
        self.line(Self.indentation + term.padded(to: column) + line)
      }
    }
  }

  /// A line to the error output.
  func error(_ text: String) {
    writeError(text.printable + "\n")
  }
}

extension Console {
  /// Standard output and standard error.
  ///
  /// - Parameter onBrokenPipe: Called when nobody reads the output any more; must not return.
  static func standard(onBrokenPipe: @escaping () -> Never) -> Console {
    let isTerminal = isatty(STDOUT_FILENO) == 1 && getenv("TERM").map { strcmp($0, "dumb") } != 0
    return Console(
      isTerminal: isTerminal, width: terminalWidth(isTerminal: isTerminal),
      isStyled: isTerminal && getenv("NO_COLOR") == nil,
      write: { text in
        if !writeAll(text, to: STDOUT_FILENO), errno == EPIPE { onBrokenPipe() }
      },
      writeError: { _ = writeAll($0, to: STDERR_FILENO) })
  }

  private static func terminalWidth(isTerminal: Bool) -> Int {
    var size = winsize()
    let limits = (least: 40, most: 140)
    if isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return min(max(Int(size.ws_col), limits.least), limits.most)
    }
    let columns = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
    return min(max(columns ?? (isTerminal ? 80 : 100), limits.least), limits.most)
  }

  private static func writeAll(_ text: String, to descriptor: CInt) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }
}
