import Synchronization

/// A value that threads share, behind a lock.
final class Locked<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) { mutex = Mutex(value) }

  var value: Value { mutex.withLock { $0 } }

  func set(_ value: Value) { mutex.withLock { $0 = value } }

  func update(_ change: (inout Value) -> Void) { mutex.withLock { change(&$0) } }
}

extension Locked
where Value: RangeReplaceableCollection & SendableMetatype, Value.Element: Sendable {
  func append(_ element: Value.Element) { mutex.withLock { $0.append(element) } }
}

extension Locked<Int> {
  func increment() { mutex.withLock { $0 += 1 } }
}

/// A value that isn't sendable, taken to another thread.
// SAFETY: the tests order the threads' uses of the value, or test what the value does without that.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
