extension Character {
  /// The number of terminal columns that the character takes: 0, 1 or 2.
  var terminalWidth: Int {
    var width = 0
    for scalar in unicodeScalars {
      // This selector requests an emoji picture, which is wide.
      if scalar == "\u{FE0F}" { return 2 }
      width = max(width, scalar.terminalWidth)
    }
    return width
  }
}

extension Unicode.Scalar {
  fileprivate var terminalWidth: Int {
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
  }

  /// The blocks of East Asian wide and full-width characters.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
  ]
}

extension String {
  /// The number of terminal columns that the text takes.
  var terminalWidth: Int {
    reduce(0) { $0 + $1.terminalWidth }
  }

  /// Returns the text, or its beginning and `…`, in at most `width` columns.
  func cut(to width: Int) -> String {
    guard terminalWidth > width else { return self }
    var rest = width - 1
    guard rest >= 0 else { return "" }
    let start = prefix { character in
      rest -= character.terminalWidth
      return rest >= 0
    }
    var cut = String(start)
    while cut.last == " " { cut.removeLast() }
    return cut + "…"
  }

  /// The text on one line, without characters that control a terminal.
  var printable: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: result.unicodeScalars.append(" ")
      // Removes characters that change the direction of text, but also the joiners of emoji.
      case .format: continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text on its lines, without other characters that control a terminal.
  var printableLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
      .joined(separator: "\n")
  }

  /// Returns the text in lines of at most `width` columns, broken at spaces. Longer words stay
  /// whole.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ") {
      if !line.isEmpty, line.terminalWidth + 1 + String(word).terminalWidth > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    return line.isEmpty ? lines : lines + [line]
  }

  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - terminalWidth))
  }

  func paddedLeft(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - terminalWidth)) + self
  }
}
