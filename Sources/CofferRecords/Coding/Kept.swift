/// A value whose type is known by the object alone.
///
/// Generic code that has but a part of the type, such as the keys of a container, would have to
/// look the whole type up each time: the object brings it along.
final class Kept<Value> {
  private let value: Value

  init(_ value: Value) { self.value = value }

  // Never made part of the caller, which doesn't know the type.
  @inline(never)
  @_semantics("optimize.sil.specialize.generic.never")
  func get() -> Value { value }
}
