/// A type that declares the columns in which its properties are stored.
///
/// ``RecordColumns`` uses it to name the typed columns of closures.
public protocol ColumnNaming {
  /// Returns the name of a property's column, or nil if the property is not stored.
  static func columnName(of property: PartialKeyPath<Self>) -> String?
}
