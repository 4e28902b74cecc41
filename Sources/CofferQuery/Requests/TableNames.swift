import Synchronization

/// The default names of tables, by type.
enum TableNames {
  private static let known = Mutex<[ObjectIdentifier: String]>([:])

  static func name<T>(of type: T.Type) -> String {
    let key = ObjectIdentifier(type)
    if let name = known.withLock({ $0[key] }) { return name }
    let name = tableName(ofTypeNamed: String(describing: type))
    known.withLock { $0[key] = name }
    return name
  }

  /// The name without what makes the type generic, and with its first word in
  /// small letters: an acronym is a word.
  static func tableName(ofTypeNamed typeName: String) -> String {
    let name = typeName.prefix { $0 != "<" && $0 != " " && $0 != "(" }
    let capitals = name.prefix(while: \.isUppercase)
    guard capitals.count < name.count else { return name.lowercased() }
    // The last capital of several begins the second word: "HTTPRequest".
    let next = name[capitals.endIndex]
    let count = capitals.count > 1 && next.isLetter ? capitals.count - 1 : capitals.count
    return name.prefix(count).lowercased() + name.dropFirst(count)
  }
}
