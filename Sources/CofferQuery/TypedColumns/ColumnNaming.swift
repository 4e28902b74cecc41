/// A type that knows by itself which columns its properties are stored in.
///
/// The typed columns of closures ask it: see ``RecordColumns``.
public protocol ColumnNaming {
  /// The name of a property's column; nil where it is stored in none.
  static func columnName(of property: PartialKeyPath<Self>) -> String?
}
