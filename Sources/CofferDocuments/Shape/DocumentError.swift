import FoundationEssentials

/// The error of a use of documents that can't work.
///
/// It never shows a stored value, only types, properties and positions.
public struct DocumentError: Error, Hashable, Sendable {
  /// The problem and its remedy.
  public let message: String

  /// Creates an error with a message.
  public init(_ message: String) { self.message = message }
}

extension DocumentError: CustomStringConvertible, LocalizedError {
  /// The message.
  public var description: String { message }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
