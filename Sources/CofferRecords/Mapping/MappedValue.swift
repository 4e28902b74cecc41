/// A type with a ``Mapping``: a record, or a part of one that is stored in several columns.
///
/// ```swift
/// struct Address: MappedValue {
///   var street: String
///   var city: String
///   static let mapping = Mapping(
///     Address.init(street:city:), Field("street", \.street), Field("city", \.city))
/// }
/// struct Person: MappedRecord {
///   var name: String
///   var home: Address
///   var work: Address?
///   static let mapping = Mapping(
///     Person.init(name:home:work:), Field("name", \.name),
///     Field.nested(\.home, prefix: "home_"), Field.nestedOptional(\.work, prefix: "work_"))
/// }
/// ```
public protocol MappedValue {
  /// The columns, in the order of selection.
  ///
  /// Declare it as `static let`, so that it is created only once.
  static var mapping: Mapping<Self> { get }
}
