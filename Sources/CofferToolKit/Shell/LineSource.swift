import Glibc

/// The source of the shell's lines.
protocol LineSource: AnyObject {
  /// Returns the next line without its end; nil at the end of the input.
  ///
  /// - Throws: ``LineInterrupted`` if Ctrl-C was pressed.
  func next(prompt: String) throws -> String?
  /// Keeps a statement for later.
  func remember(_ statement: String)
}

/// Ctrl-C while a line was typed.
struct LineInterrupted: Error {}

/// Lines of a file descriptor, such as a pipe or a terminal without an editor.
final class PlainLines: LineSource {
  private let descriptor: CInt
  private let ownsDescriptor: Bool
  private let showsPrompt: Bool
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  init(descriptor: CInt, showsPrompt: Bool) {
    // Ctrl-C drops a line even after `poll` has announced it, and a read would then wait. The
    // terminal is opened again, since other processes share the mode of the descriptor.
    let name = showsPrompt ? ttyname(descriptor) : nil
    let own = name.map { open($0, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) } ?? -1
    self.descriptor = own >= 0 ? own : descriptor
    ownsDescriptor = own >= 0
    self.showsPrompt = showsPrompt
  }

  deinit {
    if ownsDescriptor { close(descriptor) }
  }

  func next(prompt: String) throws -> String? {
    if showsPrompt { _ = Console.writeAll(prompt.utf8, to: STDOUT_FILENO) }
    while true {
      if let end = buffer[position...].firstIndex(of: 0x0A) {
        defer { position = end + 1 }
        return try line(upTo: end)
      }
      if isAtEnd {
        guard position < buffer.count else { return nil }
        defer { position = buffer.count }
        return try line(upTo: buffer.count)
      }
      buffer.removeSubrange(..<position)
      position = 0
      try fill()
    }
  }

  func remember(_ statement: String) {}

  /// A CR before the line's end stays, since it can be in a text.
  private func line(upTo end: Int) throws -> String {
    let line = buffer[position..<end]
    if let text = String(validating: line, as: UTF8.self) { return text }
    guard showsPrompt else {
      throw ToolError(
        .failed, "standard input is not UTF-8. Convert it first, with iconv for example")
    }
    return String(decoding: line, as: UTF8.self)
  }

  private func fill() throws {
    if showsPrompt {
      guard Interrupts.waitForInput(on: descriptor) else {
        Interrupts.takeRequest()
        buffer = []
        throw LineInterrupted()
      }
    } else {
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      poll(&wait, 1, -1)
    }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &chunk, chunk.count)
    if count < 0 {
      if errno == EINTR || errno == EAGAIN { return }
      throw FileError(path: "standard input", code: errno)
    }
    isAtEnd = count == 0
    buffer += chunk[..<count]
  }
}
