import Coffer
import Synchronization

/// Values that addresses name instead of having them, since a browser writes its history to disk.
///
/// A name lives until many others were given, and no longer than the process.
final class RememberedValues: Sendable {
  private struct State {
    var names: [[DatabaseValue]: Int] = [:]
    var values: [Int: [DatabaseValue]] = [:]
    var first = 1
    var next = 1
    /// About the bytes in memory.
    var size = 0
  }

  private let state = Mutex(State())
  private static let limit = 4 << 20

  /// The name of the values: `k17`, or the number itself for one integer.
  func name(_ values: [DatabaseValue]) -> String {
    if values.count == 1, case .int64(let number) = values[0].storage { return "\(number)" }
    return state.withLock { state in
      if let number = state.names[values] { return "k\(number)" }
      let name = state.next
      state.names[values] = name
      state.values[name] = values
      state.size += Self.size(values)
      state.next += 1
      while state.size > Self.limit, state.first < name {
        if let old = state.values.removeValue(forKey: state.first) {
          state.names[old] = nil
          state.size -= Self.size(old)
        }
        state.first += 1
      }
      return "k\(name)"
    }
  }

  private static func size(_ values: [DatabaseValue]) -> Int {
    values.reduce(200) { size, value in
      switch value.storage {
      case .string(let text): size + text.utf8.count
      case .blob(let data): size + data.count
      default: size
      }
    }
  }

  /// The values that a name stands for.
  ///
  /// - Throws: ``BrowseError`` for one that was forgotten.
  func values(_ name: String) throws -> [DatabaseValue] {
    if let number = Int64(name) { return [number.databaseValue] }
    if name.first == "k", let number = Int(name.dropFirst()),
      let values = state.withLock({ $0.values[number] })
    {
      return values
    }
    throw BrowseError.missing("This address is of an earlier time. Begin at the table again.")
  }
}
