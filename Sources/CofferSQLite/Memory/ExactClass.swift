/// Returns an object as an instance of a class, if that is its exact class; nil for a subclass.
///
/// It compares two addresses, where a conditional cast searches the superclasses.
@inlinable @inline(__always)
package func exactly<Object: AnyObject>(_ type: Object.Type, _ object: AnyObject) -> Object? {
  guard Swift.type(of: object) == type else { return nil }
  // SAFETY: the object is of that very class.
  return unsafe unsafeDowncast(object, to: type)
}
