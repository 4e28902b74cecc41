/// A document type whose collection has a name of its own.
///
/// ```swift
/// struct Book: Codable, CustomCollectionName {
///   static let collectionName = "books"
///   var name: String
/// }
/// ```
public protocol CustomCollectionName {
  /// The name of the collection, and of its table; always the same.
  static var collectionName: String { get }
}
