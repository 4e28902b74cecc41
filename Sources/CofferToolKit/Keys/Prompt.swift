import Coffer
import Glibc
import Synchronization

/// Questions on the terminal of the process, even if standard input or output is something else.
enum Prompt {
  /// Whether there is a person to ask.
  static var isPossible: Bool {
    guard isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1 else { return false }
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }

  /// The terminal's settings, while it doesn't echo.
  private static let savedSettings = Mutex<termios?>(nil)

  /// Lets the terminal echo again, when a signal ends the process.
  static func restoreEcho() {
    savedSettings.withLock { settings in
      guard var saved = settings else { return }
      let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
      guard descriptor >= 0 else { return }
      tcsetattr(descriptor, TCSANOW, &saved)
      close(descriptor)
      settings = nil
    }
  }

  /// Asks for a line that is not shown.
  ///
  /// - Parameter question: The text before `> `.
  static func secret(_ question: String) throws -> SecretBytes {
    let descriptor = try openTerminal()
    defer { close(descriptor) }
    var settings = termios()
    let isEchoing = tcgetattr(descriptor, &settings) == 0
    if isEchoing {
      savedSettings.withLock { $0 = settings }
      settings.c_lflag &= ~tcflag_t(ECHO)
      settings.c_lflag |= tcflag_t(ICANON | ISIG)
      tcsetattr(descriptor, TCSAFLUSH, &settings)
    }
    defer {
      restoreEcho()
      say("\n", descriptor)
    }
    say(question + "> ", descriptor)
    let secret = SecretBytes()
    try secret.read(descriptor, name: "the terminal", endsAtLine: true)
    secret.removeLineEnd()
    return secret
  }

  /// Asks a question; returns whether the answer is yes.
  static func confirm(_ question: String) throws -> Bool {
    let descriptor = try openTerminal()
    defer { close(descriptor) }
    say(question + " [y/N]> ", descriptor)
    let answer = SecretBytes()
    try answer.read(descriptor, name: "the terminal", endsAtLine: true)
    answer.removeLineEnd()
    let text = String(decoding: answer.bytes, as: UTF8.self).lowercased()
    return text == "y" || text == "yes"
  }

  /// Writes a line to the terminal.
  static func note(_ text: String) {
    guard let descriptor = try? openTerminal() else { return }
    defer { close(descriptor) }
    say(text + "\n", descriptor)
  }

  private static func openTerminal() throws -> CInt {
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw FileError(path: "/dev/tty", code: errno) }
    return descriptor
  }

  private static func say(_ text: String, _ descriptor: CInt) {
    var text = text
    text.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
  }
}
