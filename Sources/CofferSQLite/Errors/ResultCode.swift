/// One of SQLite's result codes, primary or extended.
///
/// An extended code refines the primary code in its low byte: 2067, ``SQLITE_CONSTRAINT_UNIQUE``,
/// refines 19, ``SQLITE_CONSTRAINT``. As a pattern, a primary code also matches its extended codes:
///
/// ```swift
/// do { … } catch DatabaseError.SQLITE_CONSTRAINT { … }
/// ```
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// SQLite's number.
  public let rawValue: CInt

  /// Creates a code from SQLite's number, known or not.
  @inlinable
  public init(rawValue: CInt) { self.rawValue = rawValue }

  init(_ primary: ResultCode, _ detail: CInt) {
    self.init(rawValue: primary.rawValue | detail << 8)
  }

  /// The primary code that the code refines, or the code itself.
  @inlinable
  public var primaryResultCode: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

  /// Returns whether `code` equals the pattern, or refines it if the pattern is a primary code.
  @inlinable
  public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
    pattern == (pattern == pattern.primaryResultCode ? code.primaryResultCode : code)
  }

  /// Returns whether `error` is a ``DatabaseError`` whose extended code matches.
  public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return pattern ~= error.extendedResultCode
  }
}

extension ResultCode: CustomStringConvertible {
  /// SQLite's description of the code; for an extended code mostly the primary code's description.
  package var errorString: String { SQLite.errorString(rawValue) }

  /// The number and SQLite's description: `19 (constraint failed)`.
  public var description: String { "\(rawValue) (\(errorString))" }
}
