import CofferVault

/// Reads objects, several at the same time, and uses them one after the other.
///
/// - Parameters:
///   - read: Called on several threads, also for a few objects behind the last one that is used.
///     None of its calls goes on when this returns.
///   - use: Called on this thread, in ascending order, until it returns false.
/// - Throws: The error of the object whose turn it is, or what `use` throws.
func readInOrder<Value: Sendable>(
  _ numbers: Range<UInt64>, read: @escaping @Sendable (UInt64) throws -> Value,
  use: (UInt64, Value) throws -> Bool
) throws {
  // As many as are in memory, or on their way through a network.
  let mostAhead = 4
  var begun: [BackgroundWork<Value>] = []
  var rest = numbers
  defer { for work in begun { _ = try? work.value() } }
  for number in numbers {
    while begun.count < mostAhead, let next = rest.popFirst() {
      begun.append(BackgroundWork { try read(next) })
    }
    let value = try begun.removeFirst().value()
    guard try use(number, value) else { return }
  }
}
