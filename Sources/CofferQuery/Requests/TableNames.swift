import CofferCore
import Synchronization

/// A cache of table names by type.
package final class TableNames: Sendable {
  /// The default names of records' tables.
  static let records = TableNames()

  private final class Entry: Sendable {
    let type: ObjectIdentifier
    let name: String

    init(_ type: ObjectIdentifier, _ name: String) {
      self.type = type
      self.name = name
    }
  }

  /// All entries; they are never removed, since types aren't either.
  private let known = Mutex<[ObjectIdentifier: Entry]>([:])
  /// The addresses of recently used entries.
  private let latest = TypeSlots()

  /// Creates an empty cache. Its entries are never freed, so keep it in a constant.
  package init() {}

  static func name<T>(of type: T.Type) -> String {
    records.name(of: type) { tableName(ofTypeNamed: String(describing: type)) }
  }

  /// Returns the name of a type's table, computed by `make` at first.
  package func name<T>(of type: T.Type, make: () -> String) -> String {
    let key = ObjectIdentifier(type)
    if let address = unsafe UnsafeRawPointer(bitPattern: latest.word(key)) {
      // SAFETY: `known` has the entry, and keeps it.
      let entry = unsafe Unmanaged<Entry>.fromOpaque(address)._withUnsafeGuaranteedRef { $0 }
      if entry.type == key { return entry.name }
    }
    let entry =
      known.withLock { $0[key] }
      ?? {
        // Computed outside the lock, since it may run code of the type.
        let made = Entry(key, make())
        return known.withLock { known in
          let entry = known[key] ?? made
          known[key] = entry
          return entry
        }
      }()
    _ = unsafe latest.exchange(UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque()), key)
    return entry.name
  }

  /// Returns a type's name without generic arguments and with its first word in lower case.
  ///
  /// An acronym is a word.
  static func tableName(ofTypeNamed typeName: String) -> String {
    let name = typeName.prefix { $0 != "<" && $0 != " " && $0 != "(" }
    let capitals = name.prefix(while: \.isUppercase)
    guard capitals.count < name.count else { return name.lowercased() }
    // The last of several capitals begins the second word: "HTTPRequest".
    let next = name[capitals.endIndex]
    let count = capitals.count > 1 && next.isLetter ? capitals.count - 1 : capitals.count
    return name.prefix(count).lowercased() + name.dropFirst(count)
  }
}
