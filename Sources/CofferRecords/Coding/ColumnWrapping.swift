/// A type that is stored like the value that it wraps.
package protocol ColumnWrapping: Encodable {
  associatedtype Value: Encodable
  var wrappedValue: Value { get }
}
