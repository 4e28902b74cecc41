import Synchronization

/// The default names of tables, by type.
enum TableNames {
  private static let known = Mutex<[ObjectIdentifier: Name]>([:])
  /// The address of the one that was asked for last, which `known` has; 0 for none.
  private static let latest = Atomic<UInt>(0)

  private final class Name: Sendable {
    let type: ObjectIdentifier
    let text: String

    init(_ type: ObjectIdentifier, _ text: String) { (self.type, self.text) = (type, text) }
  }

  static func name<T>(of type: T.Type) -> String {
    let key = ObjectIdentifier(type)
    if let latest = UnsafeRawPointer(bitPattern: latest.load(ordering: .acquiring)) {
      // SAFETY: `known` has it, and never gives any up.
      let name = Unmanaged<Name>.fromOpaque(latest)._withUnsafeGuaranteedRef { name in
        name.type == key ? name.text : nil
      }
      if let name { return name }
    }
    let made = known.withLock { $0[key] } ?? make(key, String(describing: type))
    let address = UInt(bitPattern: Unmanaged.passUnretained(made).toOpaque())
    latest.store(address, ordering: .releasing)
    return made.text
  }

  private static func make(_ key: ObjectIdentifier, _ typeName: String) -> Name {
    let name = Name(key, tableName(ofTypeNamed: typeName))
    return known.withLock { known in
      // Another thread's may be in use.
      if let earlier = known[key] { return earlier }
      known[key] = name
      return name
    }
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
