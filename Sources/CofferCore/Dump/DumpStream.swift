/// The destination of a dump: standard output, or a custom stream.
public struct DumpStream: TextOutputStream {
  private var base: any TextOutputStream
  private var hasContent = false
  private var owesMargin = false

  /// Creates a stream that writes to `stream`, or to standard output if it is nil.
  package init(_ stream: (any TextOutputStream)?) { base = stream ?? StandardOutput() }

  /// Inserts an empty line before the next output, unless nothing has been written yet.
  public mutating func margin() {
    if hasContent { owesMargin = true }
  }

  /// Writes the text.
  public mutating func write(_ string: String) {
    guard !string.isEmpty else { return }
    if owesMargin { base.write("\n") }
    owesMargin = false
    hasContent = true
    base.write(string)
  }
}

private struct StandardOutput: TextOutputStream {
  func write(_ string: String) { print(string, terminator: "") }
}
