import Coffer

extension Prompt {
  /// The number of times that a passphrase is asked for.
  static let attempts = 3

  /// Asks for the passphrase of a file.
  static func passphrase(of path: String) throws -> DatabaseKey {
    let secret = try secret("Passphrase of \(path.printable)")
    return try secret.passphrase(from: "The answer")
  }

  /// Asks for a new passphrase, twice, and says how strong it is.
  static func newPassphrase(of path: String) throws -> DatabaseKey {
    for _ in 0..<attempts {
      let secret = try secret("New passphrase of \(path.printable)")
      guard secret.count > 0 else {
        note("It is empty. Give one, or end with Ctrl-C.")
        continue
      }
      note(PassphraseStrength(secret.bytes).sentence)
      if try self.secret("The same again").isEqual(to: secret) {
        return try secret.passphrase(from: "The answer")
      }
      note("The two are different.")
    }
    throw ToolError(.noPermission, "no new passphrase was given")
  }
}

/// An estimate of how hard a passphrase is to guess.
enum PassphraseStrength: Int, Comparable {
  case veryWeak, weak, fair, good, strong

  /// Estimates the strength from the length, the kinds of characters and their repetition.
  init(_ bytes: some BidirectionalCollection<UInt8>) {
    var alphabet = 0.0
    if bytes.contains(where: { (0x61...0x7A).contains($0) }) { alphabet += 26 }
    if bytes.contains(where: { (0x41...0x5A).contains($0) }) { alphabet += 26 }
    if bytes.contains(where: { (0x30...0x39).contains($0) }) { alphabet += 10 }
    if bytes.contains(where: { $0 < 0x30 || (0x3A...0x40).contains($0) || $0 > 0x7A }) {
      alphabet += 20
    }
    // A byte counts less if it follows from the one before it, and if it was there before.
    var length = 0.0
    var seen = [Bool](repeating: false, count: 256)
    var previous: UInt8?
    for byte in bytes {
      let follows = previous.map { abs(Int(byte) - Int($0)) <= 1 } ?? false
      length += follows ? 0.25 : seen[Int(byte)] ? 0.6 : 1
      seen[Int(byte)] = true
      previous = byte
    }
    let bits = length * Self.bits(alphabet)
    switch bits {
    case ..<28: self = .veryWeak
    case ..<45: self = .weak
    case ..<60: self = .fair
    case ..<80: self = .good
    default: self = .strong
    }
  }

  /// The bits of a character of an alphabet, less for words than for random letters.
  private static func bits(_ alphabet: Double) -> Double {
    var (bits, rest) = (0.0, max(alphabet, 1))
    while rest >= 2 {
      rest /= 2
      bits += 1
    }
    return (bits + rest - 1) * 0.8
  }

  static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  var sentence: String {
    switch self {
    case .veryWeak: "Very weak: a program guesses it at once. Use five or more random words."
    case .weak: "Weak: a program guesses it in days. Use five or more random words."
    case .fair: "Fair: a program with much time guesses it. A few more words make it strong."
    case .good: "Good: guessing it costs years."
    case .strong: "Strong: guessing it is out of reach."
    }
  }
}
