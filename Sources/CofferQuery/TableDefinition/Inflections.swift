import Synchronization

/// Singulars and plurals of names, for naming associations and for finding referenced tables.
///
/// ```swift
/// Inflections.default.irregularSuffix("foo", "feese")
/// Inflections.default.pluralize("player1")  // "players1"
/// ```
///
/// Only the last word of a name is inflected, as in `bestPlayer` and `best_player`; trailing digits
/// are kept. Rules are tried from the last one to the first, before the English rules of
/// ``default``.
public struct Inflections: Sendable {
  /// How patterns are matched.
  public struct Options: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Ignores case.
    public static let caseInsensitive = Options(rawValue: 1)
  }

  fileprivate struct Rule {
    let pattern: String
    let options: Options
    let template: String
  }

  private var plurals: [Rule] = []
  private var singulars: [Rule] = []
  private var uncountables: Set<String> = []
  private var isEnglish = false

  /// Creates inflections without rules.
  public init() {}

  private init(isEnglish: Bool) { self.isEnglish = isEnglish }

  private static let shared = Mutex(Inflections(isEnglish: true))

  /// The inflections in use, English by default.
  ///
  /// Change them before using associations.
  public static var `default`: Inflections {
    get { shared.withLock(\.self) }
    set { shared.withLock { $0 = newValue } }
  }

  // MARK: Rules

  /// Adds a rule for plurals.
  ///
  /// - Parameters:
  ///   - pattern: A regular expression.
  ///   - template: The replacement of the match; `$1` is the first group of the pattern.
  /// - Precondition: The pattern is valid.
  public mutating func plural(
    _ pattern: String, options: Options = .caseInsensitive, _ template: String
  ) { plurals.append(Rule(pattern: pattern, options: options, template: template)) }

  /// Adds a rule for singulars.
  ///
  /// - Parameters:
  ///   - pattern: A regular expression.
  ///   - template: The replacement of the match; `$1` is the first group of the pattern.
  /// - Precondition: The pattern is valid.
  public mutating func singular(
    _ pattern: String, options: Options = .caseInsensitive, _ template: String
  ) { singulars.append(Rule(pattern: pattern, options: options, template: template)) }

  /// Adds words whose singular and plural are the same.
  public mutating func uncountableWords(_ words: [String]) {
    uncountables.formUnion(words.map { $0.lowercased() })
  }

  /// Adds an irregular suffix in the singular and the plural, such as `man` and `men`.
  public mutating func irregularSuffix(_ singular: String, _ plural: String) {
    guard let one = singular.first, let many = plural.first else { return }
    let isSameLetter = one.lowercased() == many.lowercased()
    for word in [singular, plural] {
      if isSameLetter {
        let pattern = "(\(word.prefix(1).literalPattern))\(word.dropFirst().literalPattern)$"
        self.plural(pattern, "$1\(plural.dropFirst())")
        self.singular(pattern, "$1\(singular.dropFirst())")
        continue
      }
      // The first letter of the replacement gets the case of the replaced letter.
      for (first, isUpper) in [
        (word.prefix(1).uppercased(), true), (word.prefix(1).lowercased(), false),
      ] {
        let pattern = "\(first.literalPattern)(?i:\(word.dropFirst().literalPattern))$"
        func cased(_ other: String) -> String {
          let first = other.prefix(1)
          return (isUpper ? first.uppercased() : first.lowercased()) + other.dropFirst()
        }
        self.plural(pattern, options: [], cased(plural))
        self.singular(pattern, options: [], cased(singular))
      }
    }
  }

  // MARK: Inflecting

  /// Returns the plural of a name; a plural is unchanged.
  public func pluralize(_ string: String) -> String { inflected(string, plurals, Plural.of) }

  /// Returns the singular of a name; a singular is unchanged.
  public func singularize(_ string: String) -> String {
    inflected(string, singulars, Plural.singular)
  }

  private func inflected(
    _ name: String, _ rules: [Rule], _ english: (String) -> String
  ) -> String {
    if !uncountables.isEmpty || !rules.isEmpty {
      let radical = name.withoutFinalDigits
      let start = radical.startOfLastWord
      let word = String(radical[start...])
      if uncountables.contains(word.lowercased()) { return name }
      for rule in rules.reversed() {
        guard !word.isEmpty, let other = rule.applied(to: word) else { continue }
        return radical[..<start] + other + name[radical.endIndex...]
      }
    }
    return isEnglish ? english(name) : name
  }
}

extension Inflections.Rule {
  /// Returns the word with each match replaced; nil if there is none.
  fileprivate func applied(to word: String) -> String? {
    guard let regex = try? Regex(pattern).ignoresCase(options.contains(.caseInsensitive)) else {
      preconditionFailure("Invalid regular expression: \(pattern)")
    }
    let matches = word.matches(of: regex)
    guard !matches.isEmpty else { return nil }
    var result = ""
    var end = word.startIndex
    for match in matches {
      result += word[end..<match.range.lowerBound]
      var rest = template[...]
      while let character = rest.popFirst() {
        if character == "$", let digit = rest.first?.wholeNumberValue {
          rest.removeFirst()
          if digit < match.output.count { result += match.output[digit].substring ?? "" }
        } else {
          result.append(character)
        }
      }
      end = match.range.upperBound
    }
    return result + word[end...]
  }
}

extension StringProtocol {
  /// The regular expression that matches this text.
  fileprivate var literalPattern: String {
    reduce(into: "") { pattern, character in
      if character.isASCII, !character.isLetter, !character.isNumber { pattern.append("\\") }
      pattern.append(character)
    }
  }
}

extension String {
  /// The name without trailing digits: `player` for `player12`.
  var withoutFinalDigits: Substring {
    let digits = reversed().prefix { ("0"..."9").contains($0) }
    return self[..<digits.endIndex.base]
  }
}

extension Substring {
  /// The start of the last word of a name such as `best player`, `best_player`, `bestPlayer`.
  fileprivate var startOfLastWord: Index {
    var start = endIndex
    while start > startIndex {
      let before = index(before: start)
      if !self[before].isLetter, !self[before].isNumber {
        return start < endIndex ? start : startIndex
      }
      start = before
      guard self[start].isUppercase, start > startIndex else { continue }
      let previous = self[index(before: start)]
      let next = index(after: start)
      if !previous.isUppercase || (next < endIndex && self[next].isLowercase) { return start }
    }
    return startIndex
  }
}
