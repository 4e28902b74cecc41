import Coffer

/// The value of `--cipher`.
enum CipherOption {
  /// Parses `3`, `4`, `fast`, or a list of settings, which change those of the default or of the
  /// generation that comes first.
  static func parse(_ text: String) throws -> CipherSettings {
    var settings = CipherSettings.default
    for (index, part) in text.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2 else {
        guard index == 0, let base = generation(part) else { throw refusal(part) }
        settings = base
        continue
      }
      try set(String(words[0]), String(words[1]), part, &settings)
    }
    let size = settings.pageSize
    guard (512...65_536).contains(size), size & (size - 1) == 0 else {
      throw ToolError(.usage, "--cipher: a page size is a power of two from 512 to 65536")
    }
    guard settings.kdfIterations > 0 else {
      throw ToolError(.usage, "--cipher: kdf-iter is at least 1")
    }
    guard settings.plaintextHeaderSize % 16 == 0, settings.plaintextHeaderSize <= 96 else {
      throw ToolError(.usage, "--cipher: plaintext-header is a multiple of 16 up to 96")
    }
    return settings
  }

  private static func generation(_ name: Substring) -> CipherSettings? {
    switch name {
    case "3": .sqlcipher3
    case "4": .sqlcipher4
    case "fast": .fast
    default: nil
    }
  }

  private static func set(
    _ name: String, _ value: String, _ part: Substring, _ settings: inout CipherSettings
  ) throws {
    func number() throws -> Int {
      guard let number = Int(value), number >= 0 else { throw refusal(part) }
      return number
    }
    func hash() throws -> CipherSettings.Hash {
      guard let hash = CipherSettings.Hash(rawValue: value.uppercased()) else {
        throw refusal(part)
      }
      return hash
    }
    switch name {
    case "page-size": settings.pageSize = try number()
    case "kdf-iter", "kdf-iterations": settings.kdfIterations = try number()
    case "kdf", "kdf-algorithm": settings.kdfAlgorithm = try hash()
    case "hmac", "hmac-algorithm":
      if value == "off" {
        settings.usesHMAC = false
      } else {
        settings.hmacAlgorithm = try hash()
      }
    case "plaintext-header": settings.plaintextHeaderSize = try number()
    default: throw refusal(part)
    }
  }

  private static func refusal(_ part: Substring) -> ToolError {
    ToolError(
      .usage,
      "--cipher doesn't know \"\(String(part).printable)\": 3, 4, fast, page-size=N, kdf-iter=N, "
        + "kdf=sha512, hmac=sha256 or hmac=off, plaintext-header=N")
  }

  /// The value that gives the settings.
  static func text(_ settings: CipherSettings) -> String {
    switch settings {
    case .sqlcipher3: return "3"
    case .sqlcipher4: return "4"
    case .fast: return "fast"
    default:
      var parts = [
        "4", "page-size=\(settings.pageSize)", "kdf-iter=\(settings.kdfIterations)",
        "kdf=\(settings.kdfAlgorithm.rawValue.lowercased())",
      ]
      parts.append(
        settings.usesHMAC ? "hmac=\(settings.hmacAlgorithm.rawValue.lowercased())" : "hmac=off")
      if settings.plaintextHeaderSize > 0 {
        parts.append("plaintext-header=\(settings.plaintextHeaderSize)")
      }
      return parts.joined(separator: ",")
    }
  }
}
