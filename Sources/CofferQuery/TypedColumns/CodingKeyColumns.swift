/// A type whose properties may have columns of other names than their coding keys.
///
/// What record protocols build on; not meant to be adopted by itself.
public protocol _CodingKeyColumns {
  /// The name of the column for a coding key.
  static func _columnName(forCodingKey key: String) -> String
}
