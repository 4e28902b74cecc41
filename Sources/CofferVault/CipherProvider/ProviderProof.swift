import CofferSQLite

/// A comparison of two providers, which must have the same results for everything that SQLCipher
/// asks of them.
enum ProviderProof {
  /// SQLCipher's numbers of the hash algorithms, and one that it doesn't have.
  private static let algorithms: [CInt] = [0, 1, 2, 3]

  /// Lengths of ciphertext: a block, and pages of 1, 4 and 8 KiB without their reserved bytes.
  private static let lengths = [16, 976, 4016, 8112]

  /// Whether a provider's results equal those of another one.
  static func holds(
    for candidate: SQLCipherProvider, beside reference: SQLCipherProvider
  ) -> Bool {
    var first: UnsafeMutableRawPointer?
    var second: UnsafeMutableRawPointer?
    guard unsafe candidate.makeContext(&first) == SQLite.ok else { return false }
    defer { _ = unsafe candidate.freeContext(&first) }
    guard unsafe reference.makeContext(&second) == SQLite.ok else { return false }
    defer { _ = unsafe reference.freeContext(&second) }
    return unsafe haveSameFacts((candidate, first), (reference, second))
      && drawsRandomBytes((candidate, first))
      && derivesSameKeys((candidate, first), (reference, second))
      && encryptSamePages((candidate, first), (reference, second))
      && authenticateSamePages((candidate, first), (reference, second))
  }

  /// Whether ``holds(for:beside:)`` is true in a copy of this process, which may crash or hang.
  static func holdsInChild(
    for candidate: SQLCipherProvider, beside reference: SQLCipherProvider, milliseconds: Int = 5000
  ) -> Bool {
    SystemCalls.succeedsInChild(milliseconds: milliseconds) {
      unsafe holds(for: candidate, beside: reference)
    }
  }

  private typealias Opened = (functions: SQLCipherProvider, context: UnsafeMutableRawPointer?)

  private static func haveSameFacts(_ first: Opened, _ second: Opened) -> Bool {
    func facts(_ opened: Opened) -> ([String?], [CInt]) {
      let (provider, context) = unsafe opened
      let texts = unsafe [provider.name, provider.version, provider.cipherName].map { text in
        unsafe text(context).map { unsafe String(cString: $0) }
      }
      let numbers = unsafe [provider.keySize, provider.ivSize, provider.blockSize, provider.isFIPS]
        .map { unsafe $0(context) }
      return (texts, numbers + algorithms.map { unsafe provider.hmacSize(context, $0) })
    }
    let (texts, numbers) = unsafe facts(first)
    let (otherTexts, otherNumbers) = unsafe facts(second)
    return texts == otherTexts && numbers == otherNumbers && texts[2]?.lowercased() == "aes-256-cbc"
      && numbers.starts(with: [32, 16, 16])
  }

  /// Whether all of some IVs differ, as they do but once in 10³⁵ times.
  private static func drawsRandomBytes(_ opened: Opened) -> Bool {
    var drawn: Set<[UInt8]> = [[UInt8](repeating: 0, count: 16)]
    return (0..<40).allSatisfy { _ in
      var iv = [UInt8](repeating: 0, count: 16)
      let code = unsafe opened.functions.random(opened.context, &iv, 16)
      return code == SQLite.ok && drawn.insert(iv).inserted
    }
  }

  private static func derivesSameKeys(_ first: Opened, _ second: Opened) -> Bool {
    algorithms.allSatisfy { algorithm in
      func derived(_ opened: Opened) -> (CInt, [UInt8]) {
        let password = bytes(count: 20, seed: 1)
        var salt = bytes(count: 16, seed: 2)
        var key = [UInt8](repeating: 0, count: 32)
        let code = unsafe opened.functions.deriveKey(
          opened.context, algorithm, password, 20, &salt, 16, 2, 32, &key)
        return (code, key)
      }
      return unsafe derived(first) == derived(second)
    }
  }

  private static func encryptSamePages(_ first: Opened, _ second: Opened) -> Bool {
    // The keys alternate, as they do while a file's key changes.
    for (turn, length) in (lengths + lengths).enumerated() {
      let key = bytes(count: 32, seed: turn % 3)
      let iv = bytes(count: 16, seed: 100 + turn)
      let plaintext = bytes(count: length, seed: 200 + turn)
      guard let ciphertext = unsafe crypt(first, 1, key, iv, plaintext),
        ciphertext != plaintext, unsafe crypt(second, 1, key, iv, plaintext) == ciphertext,
        unsafe crypt(first, 0, key, iv, ciphertext) == plaintext,
        unsafe crypt(second, 0, key, iv, ciphertext) == plaintext,
        unsafe cryptInPlace(first, 0, key, iv, ciphertext) == plaintext
      else { return false }
    }
    return true
  }

  private static func authenticateSamePages(_ first: Opened, _ second: Opened) -> Bool {
    for (turn, length) in (lengths + lengths).enumerated() {
      for algorithm in algorithms {
        let key = bytes(count: 32, seed: turn % 3)
        var page = bytes(count: length, seed: 300 + turn)
        let number = turn % 2 == 0 ? bytes(count: 4, seed: turn) : nil
        let code = unsafe authenticate(first, algorithm, key, page, number)
        guard unsafe code == authenticate(second, algorithm, key, page, number) else {
          return false
        }
        guard code != nil else { continue }
        page[length / 2] ^= 1
        guard unsafe authenticate(first, algorithm, key, page, number) != code else { return false }
      }
    }
    return true
  }

  // MARK: Calls

  /// Returns bytes that look random.
  private static func bytes(count: Int, seed: Int) -> [UInt8] {
    var state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }

  private static func crypt(
    _ opened: Opened, _ mode: CInt, _ key: [UInt8], _ iv: [UInt8], _ input: [UInt8]
  ) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: input.count)
    let code = unsafe opened.functions.cipher(
      opened.context, mode, key, CInt(key.count), iv, input, CInt(input.count), &output)
    return code == SQLite.ok ? output : nil
  }

  private static func cryptInPlace(
    _ opened: Opened, _ mode: CInt, _ key: [UInt8], _ iv: [UInt8], _ input: [UInt8]
  ) -> [UInt8]? {
    var bytes = input
    let code = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      unsafe opened.functions.cipher(
        opened.context, mode, key, CInt(key.count), iv, bytes.baseAddress, CInt(bytes.count),
        bytes.baseAddress)
    }
    return code == SQLite.ok ? bytes : nil
  }

  private static func authenticate(
    _ opened: Opened, _ algorithm: CInt, _ key: [UInt8], _ input: [UInt8], _ more: [UInt8]?
  ) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: 64)
    let code =
      if let more {
        unsafe opened.functions.hmac(
          opened.context, algorithm, key, CInt(key.count), input, CInt(input.count), more,
          CInt(more.count), &output)
      } else {
        unsafe opened.functions.hmac(
          opened.context, algorithm, key, CInt(key.count), input, CInt(input.count), nil, 0,
          &output)
      }
    return code == SQLite.ok ? output : nil
  }
}
