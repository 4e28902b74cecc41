import CofferSQLite

/// How slowly the key of a passphrase's slot is derived, which is what makes guessing expensive.
public struct PassphraseDerivation: Hashable, Sendable {
  enum Function: Hashable, Sendable {
    case argon2id(memory: Int, passes: Int)
    case pbkdf2(iterations: Int)
  }

  let function: Function

  /// Argon2id (RFC 9106) with one lane.
  ///
  /// - Parameters:
  ///   - memory: In KiB, from 8 to 1,048,576 (1 GiB). Opening needs that much memory for a moment.
  ///   - passes: From 1 to 1,000.
  /// - Precondition: Both are in range.
  public static func argon2id(memory: Int, passes: Int) -> PassphraseDerivation {
    let derivation = PassphraseDerivation(function: .argon2id(memory: memory, passes: passes))
    precondition(derivation.isInRange, "an Argon2id parameter is out of range")
    return derivation
  }

  /// PBKDF2-HMAC-SHA512, which needs no further library.
  ///
  /// - Parameter iterations: From 1,000 to 100,000,000. SQLCipher 4 itself uses 256,000.
  /// - Precondition: They are in range.
  public static func pbkdf2(iterations: Int) -> PassphraseDerivation {
    let derivation = PassphraseDerivation(function: .pbkdf2(iterations: iterations))
    precondition(derivation.isInRange, "the number of PBKDF2 iterations is out of range")
    return derivation
  }

  /// A derivation that takes about this long on this machine, measured now.
  ///
  /// Argon2id with 64 MiB of memory and at least three passes; where neither libargon2 nor OpenSSL
  /// 3.2 is installed, PBKDF2-HMAC-SHA512 with at least 210,000 iterations. The minima are those of
  /// <https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html> and RFC
  /// 9106.
  public static func measured(_ duration: Duration = .milliseconds(300)) -> PassphraseDerivation {
    let isArgon2 = Argon2.shared != nil
    let (unit, least, most) = isArgon2 ? (1, 3, 100) : (20_000, 210_000, 20_000_000)
    func derivation(_ count: Int) -> PassphraseDerivation {
      isArgon2
        ? .init(function: .argon2id(memory: 65_536, passes: count))
        : .init(function: .pbkdf2(iterations: count))
    }
    let password = SecureBytes(copying: [UInt8](0..<16))
    let clock = ContinuousClock()
    let time = clock.measure { _ = try? derivation(unit).derive(password, salt: [UInt8](0..<16)) }
    let ratio = duration / max(time, .microseconds(1))
    return derivation(max(least, min(most, Int(ratio * Double(unit)))))
  }

  /// Whether the parameters are in range: a changed file must not ask for hours or all memory.
  var isInRange: Bool {
    switch function {
    case .argon2id(let memory, let passes):
      (8...1_048_576).contains(memory) && (1...1000).contains(passes)
    case .pbkdf2(let iterations):
      (1000...100_000_000).contains(iterations)
    }
  }

  /// Whether this machine has the derivation's function.
  var isAvailable: Bool {
    switch function {
    case .argon2id: Argon2.shared != nil
    case .pbkdf2: LibCrypto.shared != nil
    }
  }

  /// Derives 32 bytes.
  ///
  /// - Throws: ``KeySlotsError/unavailableDerivation(_:)``.
  func derive(_ password: SecureBytes, salt: [UInt8]) throws(KeySlotsError) -> SecureBytes {
    switch function {
    case .argon2id(let memory, let passes):
      guard let argon2 = Argon2.shared,
        let key = argon2.derive(password, salt: salt, memory: memory, passes: passes)
      else { throw .unavailableDerivation("Argon2id") }
      return key
    case .pbkdf2(let iterations):
      guard
        let key = LibCrypto.shared?.pbkdf2(
          .sha512, password: password, salt: salt, iterations: iterations)
      else { throw .unavailableDerivation("PBKDF2") }
      return key
    }
  }
}
