/// Names in `snake_case` and in `camelCase`, as Foundation's JSON coders convert them.
enum SnakeCase {
  /// Returns `team_id` for `teamId`, and `my_url_property` for `myURLProperty`.
  ///
  /// A word begins with an upper case letter, and ends before the next upper case letter after a
  /// lower case letter. Of several upper case letters in a row, the last begins a new word if a
  /// lower case letter follows. The second letter of a name begins a word if it is upper case
  /// (`u_rl`).
  static func snakeCased(_ name: String) -> String {
    let characters = Array(name)
    var starts: Set<Int> = []
    var position = 1
    while let upper = characters.indices.first(where: {
      $0 >= position && characters[$0].isUppercase
    }) {
      starts.insert(upper)
      guard
        let lower = characters.indices.first(where: { $0 > upper && characters[$0].isLowercase })
      else { break }
      if lower > upper + 1 { starts.insert(lower - 1) }
      position = lower + 1
    }
    return characters.indices.reduce(into: "") { result, index in
      if starts.contains(index) { result += "_" }
      result += characters[index].lowercased()
    }
  }

  /// Returns `teamId` for `team_id`.
  ///
  /// Underscores at the ends and names of one word are kept.
  static func camelCased(_ name: String) -> String {
    guard let first = name.firstIndex(where: { $0 != "_" }),
      let last = name.lastIndex(where: { $0 != "_" })
    else { return name }
    let words = name[first...last].split(separator: "_")
    guard words.count > 1 else { return name }
    var result = String(name[..<first]) + words[0].lowercased()
    for word in words.dropFirst() {
      result += word.prefix(1).uppercased() + word.dropFirst().lowercased()
    }
    return result + name[name.index(after: last)...]
  }
}
