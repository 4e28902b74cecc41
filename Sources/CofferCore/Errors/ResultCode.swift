/// One of SQLite's result codes, primary or extended.
///
/// An extended code refines a primary one, its low byte: 2067,
/// ``SQLITE_CONSTRAINT_UNIQUE``, refines 19, ``SQLITE_CONSTRAINT``. As a
/// pattern, a primary code matches its extended codes too:
///
/// ```swift
/// do { … } catch DatabaseError.SQLITE_CONSTRAINT { … }
/// ```
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// SQLite's number.
  public let rawValue: CInt

  /// The code with SQLite's number, known or not.
  @inlinable
  public init(rawValue: CInt) { self.rawValue = rawValue }

  init(_ primary: ResultCode, _ detail: CInt) {
    self.init(rawValue: primary.rawValue | detail << 8)
  }

  /// The code that this one refines, or itself.
  @inlinable
  public var primaryResultCode: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

  /// Whether `code` is the pattern or, the pattern being primary, refines it.
  @inlinable
  public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
    pattern == (pattern == pattern.primaryResultCode ? code.primaryResultCode : code)
  }

  /// Whether `error` is a ``DatabaseError`` whose extended code matches.
  public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return pattern ~= error.extendedResultCode
  }
}

extension ResultCode: CustomStringConvertible {
  /// SQLite's words for the code; for an extended code mostly those of the primary.
  package var errorString: String { SQLite.errorString(rawValue) }

  /// The number and SQLite's words for it: `19 (constraint failed)`.
  public var description: String { "\(rawValue) (\(errorString))" }
}
