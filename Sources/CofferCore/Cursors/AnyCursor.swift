/// A cursor that hides the type of another one, or of what it reads.
///
/// Each element costs an indirect call. After an error, the cursor is at its end.
public class AnyCursor<Element>: Cursor {
  @usableFromInline let nextElement: () throws -> Element?
  @exclusivity(unchecked) @usableFromInline final var isDone = false

  /// Gives what `body` returns, up to its first nil or error.
  @inlinable
  public init(_ body: @escaping () throws -> Element?) {
    nextElement = body
  }

  /// Gives the elements of another cursor.
  @inlinable
  public convenience init<C: Cursor>(_ base: C) where C.Element == Element {
    self.init { try base.next() }
  }

  /// Gives the elements of a sequence, which is read lazily.
  @inlinable
  public convenience init<S: Sequence>(_ sequence: S) where S.Element == Element {
    self.init(iterator: sequence.makeIterator())
  }

  /// Gives the elements that are left in an iterator.
  @inlinable
  public convenience init<I: IteratorProtocol>(iterator: I) where I.Element == Element {
    var iterator = iterator
    self.init { iterator.next() }
  }

  /// The next element, or nil after the last one.
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

  /// Calls `body` with each element that is left.
  @inlinable
  public final func forEach(_ body: (Element) throws -> Void) throws {
    if isDone { return }
    defer { isDone = true }
    while let element = try nextElement() { try body(element) }
  }
}

@available(*, unavailable)
extension AnyCursor: Sendable {}
