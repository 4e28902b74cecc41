/// Where a dump goes: the standard output, or a stream of yours.
public struct DumpStream: TextOutputStream {
  private var base: any TextOutputStream
  private var hasContent = false
  private var owesMargin = false

  /// Writes to `stream`, or to the standard output where it is nil.
  package init(_ stream: (any TextOutputStream)?) { base = stream ?? StandardOutput() }

  /// Puts an empty line before what is written next, unless nothing was
  /// written yet.
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
