import CofferCore

extension Database {
  /// What ``jsonIsValid(_:options:)`` accepts.
  ///
  /// - Note: <https://www.sqlite.org/json1.html#jvalid>
  public struct JSONValidationOptions: OptionSet, Sendable {
    /// SQLite's number.
    public let rawValue: Int

    /// The options of SQLite's number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Text that is JSON by RFC 8259.
    public static let json = JSONValidationOptions(rawValue: 1)
    /// Text that is JSON5.
    public static let json5 = JSONValidationOptions(rawValue: 2)
    /// A blob that looks like JSONB on the surface.
    public static let probablyJSONB = JSONValidationOptions(rawValue: 4)
    /// A blob that is JSONB in all its depth.
    public static let jsonb = JSONValidationOptions(rawValue: 8)
  }
}
