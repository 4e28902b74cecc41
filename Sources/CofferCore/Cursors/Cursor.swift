/// A sequence of elements read one by one, each of which may fail.
///
/// A cursor is consumed by reading it, once. After its last element, ``next()``
/// answers nil for ever. Errors stop whatever reads the cursor:
/// `try cursor.map { … }.filter { … }` needs no handling of its own.
///
/// Elements may share storage: a cursor of rows gives one row object over and
/// over. Copy such an element before you read the next one.
///
/// Concurrency: a cursor stays where it was made; none is `Sendable`.
public protocol Cursor<Element>: AnyObject {
  /// What the cursor gives.
  associatedtype Element

  /// The next element, or nil after the last one.
  func next() throws -> Element?

  /// Calls `body` with each element that is left.
  ///
  /// An error ends it, `body`'s too; the cursor must not be used any more then.
  func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
  /// Calls `body` with each element that is left.
  @inlinable
  public func forEach(_ body: (Element) throws -> Void) throws {
    while let element = try next() {
      try body(element)
    }
  }
}
