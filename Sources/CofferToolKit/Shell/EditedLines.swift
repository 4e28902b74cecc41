#if LineEditing
  import CEdit
  import Glibc

  /// Lines of a terminal with libedit's editing, history and completion.
  ///
  /// The history is in memory only: a statement can hold data that is on no disk unencrypted.
  final class EditedLines: LineSource {
    private let editor: OpaquePointer
    private let history: OpaquePointer
    private let completions: () -> [String]
    private var prompt: UnsafeMutablePointer<CChar>?
    /// Whether no character of the line has been read.
    private var isAtStart = true

    /// - Parameter completions: Returns the words that a line can go on with.
    init?(completing completions: @escaping () -> [String]) {
      setlocale(LC_CTYPE, "")
      guard let editor = coffer_el_init() else { return nil }
      guard let history = coffer_history_init(500) else {
        el_end(editor)
        return nil
      }
      self.editor = editor
      self.history = history
      self.completions = completions
      coffer_el_set_up(
        editor, history, Unmanaged.passUnretained(self).toOpaque(),
        { editor in EditedLines.of(editor).prompt },
        { editor, result in EditedLines.readCharacter(editor, result) },
        { editor, _ in EditedLines.of(editor).complete() })
    }

    deinit {
      coffer_history_end(history)
      el_end(editor)
      free(prompt)
    }

    private static func of(_ editor: OpaquePointer?) -> EditedLines {
      // The editor doesn't outlive its object, which it has as its client data.
      Unmanaged<EditedLines>.fromOpaque(coffer_el_client(editor)!).takeUnretainedValue()
    }

    func next(prompt text: String) throws -> String? {
      free(prompt)
      prompt = strdup(text)
      isAtStart = true
      var count: CInt = 0
      guard let line = el_gets(editor, &count), count > 0 else {
        if Interrupts.takeRequest() {
          el_reset(editor)
          throw LineInterrupted()
        }
        return nil
      }
      let bytes = UnsafeRawBufferPointer(start: line, count: Int(count))
      return String(decoding: bytes.last == 0x0A ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }

    func remember(_ statement: String) {
      let text = statement.split(whereSeparator: \.isNewline).joined(separator: " ")
      // A key is in no history, not even in memory.
      let words = text.lowercased()
      guard !words.contains("key") || !(words.contains("pragma") || words.contains("attach")) else {
        return
      }
      coffer_history_enter(history, text)
    }

    /// Waits for a character in short pieces, since Ctrl-C doesn't end a read.
    private static func readCharacter(
      _ editor: OpaquePointer?, _ result: UnsafeMutablePointer<wchar_t>?
    ) -> CInt {
      let lines = EditedLines.of(editor)
      let wasAtStart = lines.isAtStart
      lines.isAtStart = false
      var state = mbstate_t()
      while true {
        var wait = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        let isTypedAhead = wasAtStart && poll(&wait, 1, 0) > 0
        guard Interrupts.waitForInput(on: STDIN_FILENO) else { return -1 }
        var byte: CChar = 0
        let count = read(STDIN_FILENO, &byte, 1)
        if count < 0, errno == EINTR { continue }
        guard count == 1 else { return CInt(count) }
        // libedit shows the prompt before it changes the terminal's mode. The kernel makes a NUL of
        // a Ctrl-D that comes between.
        if byte == 0, isTypedAhead { return 0 }
        switch mbrtowc(result, &byte, 1, &state) {
        case Int.max - 1, Int(bitPattern: UInt.max - 1): continue  // more bytes are needed
        case Int(bitPattern: UInt.max): state = mbstate_t()
        default: return 1
        }
      }
    }

    // MARK: Completion

    private func complete() -> CUnsignedChar {
      guard let info = el_line(editor) else { return CUnsignedChar(CC_ERROR) }
      let count = info.pointee.cursor - info.pointee.buffer
      let line = String(
        decoding: UnsafeRawBufferPointer(start: info.pointee.buffer, count: count), as: UTF8.self)
      let start = line.lastIndex { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
      let word = start.map { String(line[line.index(after: $0)...]) } ?? line
      guard !word.isEmpty else { return CUnsignedChar(CC_ERROR) }
      let isLower = word == word.lowercased()
      let found = Set(
        completions().filter {
          $0.lowercased().hasPrefix(word.lowercased()) && $0.count > word.count
        }
        .map { isLower && $0 == $0.uppercased() ? $0.lowercased() : $0 }
      ).sorted()
      guard let first = found.first else { return CUnsignedChar(CC_ERROR) }
      let common = found.dropFirst().reduce(first) {
        String(zip($0, $1).prefix { $0.0 == $0.1 }.map(\.0))
      }
      let rest = common.dropFirst(word.count) + (found.count == 1 ? " " : "")
      if !rest.isEmpty {
        return CUnsignedChar(el_insertstr(editor, String(rest)) == 0 ? CC_REFRESH : CC_ERROR)
      }
      _ = Console.writeAll(
        "\n\(found.prefix(60).joined(separator: "  "))\n".utf8, to: STDOUT_FILENO)
      return CUnsignedChar(CC_REDISPLAY)
    }
  }
#endif
