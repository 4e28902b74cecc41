/// A sequence of elements that are read one by one, where each read can throw.
///
/// A cursor can be read once. After the last element, ``next()`` keeps returning nil. Errors
/// propagate through derived cursors, such as `try cursor.map { … }.filter { … }`.
///
/// Elements can share storage: a cursor of rows returns the same row object each time. Copy such an
/// element before reading the next one.
///
/// Concurrency: cursors are not `Sendable`; use one where it was made.
public protocol Cursor<Element>: AnyObject {
  /// The type of the elements.
  associatedtype Element

  /// Returns the next element, or nil at the end.
  func next() throws -> Element?

  /// Calls `body` with each remaining element.
  ///
  /// Don't use the cursor any more after an error, whether from the cursor or from `body`.
  func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
  /// Calls `body` with each remaining element.
  @inlinable
  public func forEach(_ body: (Element) throws -> Void) throws {
    while let element = try next() {
      try body(element)
    }
  }
}
