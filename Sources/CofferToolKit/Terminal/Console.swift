import Glibc

/// The tool's output and its width.
struct Console {
  /// Whether the output is a terminal.
  var isTerminal = false
  /// Whether lines can be overwritten.
  var redraws = false
  /// Whether lines of the error output can be overwritten.
  var redrawsErrors = false
  /// The number of columns.
  var width = 100
  /// Whether notes are dim.
  var isStyled = false
  /// Writes text unchanged.
  let write: (String) -> Void
  /// Writes the bytes of rows; as text by default.
  var bytesWriter: (([UInt8]) -> Void)?
  /// Writes text that isn't a result: errors and usage.
  let writeError: (String) -> Void

  /// Writes a line to the error output, from any thread.
  var logError: @Sendable (String) -> Void = { text in
    _ = Console.writeAll((text.printable + "\n").utf8, to: STDERR_FILENO)
  }

  private static let indentation = "  "

  /// Creates a console.
  init(
    isTerminal: Bool = false, width: Int = 100, isStyled: Bool = false,
    write: @escaping (String) -> Void, writeError: @escaping (String) -> Void
  ) {
    self.isTerminal = isTerminal
    redraws = isTerminal
    self.width = width
    self.isStyled = isStyled
    self.write = write
    self.writeError = writeError
  }

  /// Writes bytes unchanged.
  func writeBytes(_ bytes: [UInt8]) {
    if let bytesWriter { bytesWriter(bytes) } else { write(String(decoding: bytes, as: UTF8.self)) }
  }

  /// Writes a line of text without wrapping it.
  func line(_ text: String = "") {
    write(text + "\n")
  }

  /// Writes an indented table.
  func table(_ table: TextTable) {
    for line in table.lines(width: width - Self.indentation.count) {
      self.line(Self.indentation + line)
    }
  }

  /// Writes indented terms, with wrapped text beside them.
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

  /// Writes a line to the error output.
  func error(_ text: String) {
    writeError(text.printable + "\n")
  }
}

extension Console {
  /// Returns a console for standard output and standard error.
  ///
  /// - Parameter onFailure: Called with `errno` when the output can't be written: its reader has
  ///   closed it, or its disk is full. It must not return.
  static func standard(onFailure: @escaping (CInt) -> Never) -> Console {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let isDumb = getenv("TERM").map { strcmp($0, "dumb") } == 0
    let isPlain = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    var console = Console(
      isTerminal: isTerminal, width: terminalWidth(isTerminal: isTerminal),
      isStyled: isTerminal && !isPlain && !isDumb,
      write: { if !writeAll($0.utf8, to: STDOUT_FILENO) { onFailure(errno) } },
      writeError: { _ = writeAll($0.utf8, to: STDERR_FILENO) })
    console.redraws = isTerminal && !isDumb
    console.redrawsErrors = isatty(STDERR_FILENO) == 1 && !isDumb
    console.bytesWriter = { if !writeAll($0, to: STDOUT_FILENO) { onFailure(errno) } }
    return console
  }

  /// The console with the current width of its window.
  var resized: Console {
    guard bytesWriter != nil else { return self }
    var console = self
    console.width = Self.terminalWidth(isTerminal: isTerminal)
    return console
  }

  private static func terminalWidth(isTerminal: Bool) -> Int {
    var size = winsize()
    let limits = (least: 20, most: 140)
    if isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return min(max(Int(size.ws_col), limits.least), limits.most)
    }
    let columns = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
    return min(max(columns ?? (isTerminal ? 80 : 100), limits.least), limits.most)
  }

  /// Writes all bytes; returns false, with `errno`, if that fails.
  static func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: CInt) -> Bool {
    let done = bytes.withContiguousStorageIfAvailable { buffer in
      var rest = UnsafeRawBufferPointer(buffer)[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
    return done ?? writeAll(Array(bytes), to: descriptor)
  }
}
