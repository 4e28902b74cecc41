/// A use of documents that can't work, with what to do instead.
///
/// It never shows a stored value: only types, properties, and positions.
public struct DocumentError: Error, Hashable, Sendable {
  /// What is wrong, and what to do.
  public let message: String

  /// An error with a message.
  public init(_ message: String) { self.message = message }
}

extension DocumentError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
