/// A document type that names its collection.
///
/// ```swift
/// struct Book: Codable, CustomCollectionName {
///   static let collectionName = "books"
///   var name: String
/// }
/// ```
public protocol CustomCollectionName {
  /// The name of the collection and of its table. It must never change.
  static var collectionName: String { get }
}
