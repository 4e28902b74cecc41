/// English plurals for table names.
package enum Plural {
  /// Returns the plural of a word, or of the last word of a name in camel case.
  ///
  /// A plural is unchanged. Trailing digits are kept: `players1` for `player1`.
  package static func of(_ name: String) -> String {
    let radical = name.withoutFinalDigits
    if radical.isEmpty { return name }
    guard radical.endIndex == name.endIndex else {
      return of(String(radical)) + name[radical.endIndex...]
    }
    if let plural = listed(name, forms: irregular) { return plural }
    let word = name.lowercased()
    func has(_ suffixes: String...) -> Bool { suffixes.contains { word.hasSuffix($0) } }
    if sibilant.contains(where: { endsWithWord(name, $0) }) { return name + "es" }
    if has("ss", "x", "z", "ch", "sh", "us") { return name + "es" }
    if has("is") { return String(name.dropLast(2)) + "es" }
    if has("s") { return name }
    if has("y"), let before = word.dropLast().last, !"aeiou".contains(before) {
      return String(name.dropLast()) + "ies"
    }
    return name + "s"
  }

  /// Returns the singular of a word, or of the last word of a name in camel case.
  ///
  /// A singular is unchanged.
  package static func singular(of name: String) -> String {
    let radical = name.withoutFinalDigits
    guard radical.endIndex == name.endIndex || radical.isEmpty else {
      return singular(of: String(radical)) + name[radical.endIndex...]
    }
    if let singular = listed(name, forms: irregularSingulars) { return singular }
    let word = name.lowercased()
    func has(_ suffixes: String...) -> Bool { suffixes.contains { word.hasSuffix($0) } }
    if sibilant.contains(where: { endsWithWord(name, $0) }) { return name }
    guard has("s"), !has("ss", "us", "is"), word.utf8.count > 2 else { return name }
    let (oneLess, twoLess) = (String(name.dropLast()), String(name.dropLast(2)))
    if silent.contains(where: { endsWithWord(oneLess, $0) }) { return oneLess }
    if sibilant.contains(where: { endsWithWord(twoLess, $0) }) { return twoLess }
    if has("sses", "xes", "ches", "shes", "zzes") { return twoLess }
    if greek.contains(where: { word.hasSuffix($0 + "es") }) { return twoLess + "is" }
    return has("ies") ? String(name.dropLast(3)) + "y" : oneLess
  }

  /// Words in `s` whose plural ends in `es`.
  private static let sibilant = [
    "alias", "atlas", "bias", "bonus", "bus", "campus", "canvas", "census", "chorus", "circus",
    "corpus", "focus", "gas", "genus", "lens", "radius", "status", "surplus", "virus",
  ]

  /// Words whose final `e` belongs to the singular.
  private static let silent = [
    "ache", "avalanche", "brownie", "cache", "calorie", "cookie", "genie", "lie", "movie", "niche",
    "pie", "selfie", "tie", "zombie", "axe",
  ]

  /// Stems of words in `-is`, whose plural ends in `-es`.
  private static let greek = [
    "analys", "cris", "diagnos", "ellips", "hypothes", "oas", "parenthes", "prognos", "synops",
    "synthes",
  ]

  private static let uncountable = [
    "equipment", "fish", "information", "jeans", "metadata", "money", "news", "police", "rice",
    "series", "sheep", "software", "species",
  ]

  private static let irregular = [
    ("person", "people"), ("child", "children"), ("woman", "women"), ("man", "men"),
    ("mouse", "mice"), ("foot", "feet"), ("tooth", "teeth"), ("goose", "geese"), ("ox", "oxen"),
    ("hero", "heroes"), ("potato", "potatoes"), ("tomato", "tomatoes"), ("echo", "echoes"),
    ("knife", "knives"), ("life", "lives"), ("wife", "wives"), ("wolf", "wolves"),
    ("leaf", "leaves"), ("half", "halves"), ("shelf", "shelves"), ("loaf", "loaves"),
    ("thief", "thieves"), ("quiz", "quizzes"), ("datum", "data"), ("medium", "media"),
    ("index", "indices"), ("matrix", "matrices"), ("vertex", "vertices"),
  ]

  private static let irregularSingulars = irregular.map { ($1, $0) }

  /// Returns the second form of a word that ends with either, or the word if it can't be counted.
  private static func listed(_ name: String, forms: [(String, String)]) -> String? {
    for (form, other) in forms {
      if let name = replacing(form, by: other, in: name) { return name }
      if endsWithWord(name, other) { return name }
    }
    return uncountable.contains { endsWithWord(name, $0) } ? name : nil
  }

  private static func replacing(_ suffix: String, by other: String, in name: String) -> String? {
    guard endsWithWord(name, suffix) else { return nil }
    let start = name.dropLast(suffix.count)
    // The first letter keeps its case.
    return String(start) + String(name.suffix(suffix.count).prefix(1)) + String(other.dropFirst())
  }

  /// Returns whether the name is the word, or ends with it.
  ///
  /// `salesPerson` and `sales_person` end with `person`; `German` doesn't end with `man`.
  private static func endsWithWord(_ name: String, _ word: String) -> Bool {
    guard name.lowercased().hasSuffix(word) else { return false }
    let start = name.dropLast(word.count)
    guard let before = start.last else { return true }
    return !before.isLetter || name.suffix(word.count).first?.isUppercase == true
  }
}
