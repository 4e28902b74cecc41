import Synchronization

/// A value that threads share, behind a lock.
package final class Locked<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  package init(_ value: Value) { mutex = Mutex(value) }

  package var value: Value { mutex.withLock { $0 } }

  package func set(_ value: Value) { mutex.withLock { $0 = value } }

  package func update(_ change: (inout Value) -> Void) { mutex.withLock { change(&$0) } }

  /// Changes the value, and returns what the change returns.
  package func changing<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    mutex.withLock { change(&$0) }
  }
}

extension Locked
where Value: RangeReplaceableCollection & SendableMetatype, Value.Element: Sendable {
  package func append(_ element: Value.Element) { mutex.withLock { $0.append(element) } }
}

extension Locked<Int> {
  package func increment() { mutex.withLock { $0 += 1 } }
}

/// A value that isn't sendable, taken to another thread.
// SAFETY: the tests order the threads' uses of the value, or test what the value does without that.
package struct Unchecked<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
