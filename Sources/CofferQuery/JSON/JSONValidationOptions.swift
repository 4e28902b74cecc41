import CofferCore

extension Database {
  /// The forms of JSON that ``jsonIsValid(_:options:)`` accepts.
  ///
  /// - Note: <https://www.sqlite.org/json1.html#jvalid>
  public struct JSONValidationOptions: OptionSet, Sendable {
    /// SQLite's number for the options.
    public let rawValue: Int

    /// Creates options from SQLite's number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// RFC 8259 text.
    public static let json = JSONValidationOptions(rawValue: 1)
    /// JSON5 text.
    public static let json5 = JSONValidationOptions(rawValue: 2)
    /// A blob that superficially looks like JSONB.
    public static let probablyJSONB = JSONValidationOptions(rawValue: 4)
    /// A blob that is strictly valid JSONB.
    public static let jsonb = JSONValidationOptions(rawValue: 8)
  }
}
