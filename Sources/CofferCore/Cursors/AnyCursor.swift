/// A type-erased cursor.
///
/// Each element costs an indirect call. After an error, the cursor is at its end.
public class AnyCursor<Element>: Cursor {
  @usableFromInline let nextElement: () throws -> Element?
  /// Calls its argument with each element, as another cursor does; nil for a loop.
  @usableFromInline let eachElement: (((Element) throws -> Void) throws -> Void)?
  @safe @exclusivity(unchecked) @usableFromInline final var isDone = false

  /// Creates a cursor that calls `body` for each element, until it returns nil or throws.
  @inlinable
  public init(_ body: @escaping () throws -> Element?) {
    nextElement = body
    eachElement = nil
  }

  @inlinable
  init(
    _ body: @escaping () throws -> Element?,
    each: @escaping ((Element) throws -> Void) throws -> Void
  ) {
    nextElement = body
    eachElement = each
  }

  /// Creates a cursor over the remaining elements of another cursor.
  @inlinable
  public convenience init<C: Cursor>(_ base: C) where C.Element == Element {
    self.init({ try base.next() }, each: { try base.forEach($0) })
  }

  /// Creates a cursor over a sequence, which is read lazily.
  @inlinable
  public convenience init<S: Sequence>(_ sequence: S) where S.Element == Element {
    self.init(iterator: sequence.makeIterator())
  }

  /// Creates a cursor over the remaining elements of an iterator.
  @inlinable
  public convenience init<I: IteratorProtocol>(iterator: I) where I.Element == Element {
    var iterator = iterator
    self.init { iterator.next() }
  }

  /// Returns the next element, or nil at the end.
  @inlinable
  public final func next() throws -> Element? {
    if isDone { return nil }
    do {
      if let element = try nextElement() { return element }
      isDone = true
      return nil
    } catch {
      isDone = true
      throw error
    }
  }

  /// Calls `body` with each remaining element.
  ///
  /// It calls the method of the cursor from which this one is derived, where that one has its own.
  @inlinable
  public final func forEach(_ body: (Element) throws -> Void) throws {
    if isDone { return }
    defer { isDone = true }
    if let eachElement { return try eachElement(body) }
    while let element = try nextElement() { try body(element) }
  }
}

@available(*, unavailable)
extension AnyCursor: Sendable {}
