import CofferCore
import Synchronization

/// Names of tables, by type.
package final class TableNames: Sendable {
  /// Those that records have by default.
  static let records = TableNames()

  private final class Entry: Sendable {
    let type: ObjectIdentifier
    let name: String

    init(_ type: ObjectIdentifier, _ name: String) {
      self.type = type
      self.name = name
    }
  }

  /// Types stay, and so do their names.
  private let known = Mutex<[ObjectIdentifier: Entry]>([:])
  /// Addresses of those that were asked for last.
  private let latest = TypeSlots()

  /// No names yet, for a constant: they are never forgotten.
  package init() {}

  static func name<T>(of type: T.Type) -> String {
    records.name(of: type) { tableName(ofTypeNamed: String(describing: type)) }
  }

  /// The name of a type's table, which is made once.
  package func name<T>(of type: T.Type, make: () -> String) -> String {
    let key = ObjectIdentifier(type)
    if let address = UnsafeRawPointer(bitPattern: latest.word(key)) {
      // SAFETY: `known` has the entry, and keeps it.
      let entry = Unmanaged<Entry>.fromOpaque(address)._withUnsafeGuaranteedRef { $0 }
      if entry.type == key { return entry.name }
    }
    let entry =
      known.withLock { $0[key] }
      ?? {
        // Made without the lock: it may run code of the type.
        let made = Entry(key, make())
        return known.withLock { known in
          let entry = known[key] ?? made
          known[key] = entry
          return entry
        }
      }()
    _ = latest.exchange(UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque()), key)
    return entry.name
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
