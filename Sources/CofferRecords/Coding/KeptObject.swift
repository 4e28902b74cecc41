/// A class with a type parameter that identifies its kept objects.
protocol SubjectSpecific: AnyObject {
  associatedtype Value
}

/// A place for an object of a generic class, found by the class's type parameter.
///
/// Since a key is usually decoded as a single type, a place keeps only the object for the last
/// type.
/// - Invariant: A place keeps the objects of one generic class, or of its subclasses.
struct KeptObject {
  private let subject: ObjectIdentifier
  private let object: AnyObject

  init<Object: SubjectSpecific>(_ object: Object) {
    subject = ObjectIdentifier(Object.Value.self)
    self.object = object
  }

  /// Returns the object; nil if it was kept for another type.
  ///
  /// The result has to be declared as the place's class, since the compiler would also infer a
  /// subclass.
  @inline(__always)
  func get<Object: SubjectSpecific>() -> Object? {
    guard subject == ObjectIdentifier(Object.Value.self) else { return nil }
    // SAFETY: a place has one generic class, whose parameter is the subject.
    return unsafe unsafeDowncast(object, to: Object.self)
  }
}

/// The containers that a coder has returned, one for each type of keys.
struct KeptContainers {
  /// A container whose type is known only to the object that holds it.
  ///
  /// A coder returns containers for arbitrary key types. Without this object, it would have to look
  /// up the metadata of the container's type for each record.
  private final class Kept<Key, Container>: SubjectSpecific {
    typealias Value = Key

    private let container: Container

    init(_ container: Container) { self.container = container }

    // Never inlined into the caller, which doesn't know the type.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func get() -> Container { container }
  }

  private var first: KeptObject?
  private var others: [KeptObject] = []

  /// Returns the container for a type of keys, made by `make` on the first call.
  @inline(__always)
  mutating func container<Key: CodingKey, Container>(
    keyedBy type: Key.Type, _ make: () -> Container
  ) -> Container {
    if let kept: Kept<Key, Container> = first?.get() { return kept.get() }
    return find(type, make)
  }

  @inline(never)
  private mutating func find<Key: CodingKey, Container>(
    _ type: Key.Type, _ make: () -> Container
  ) -> Container {
    for other in others {
      if let kept: Kept<Key, Container> = other.get() { return kept.get() }
    }
    let kept = Kept<Key, Container>(make())
    if first == nil { first = KeptObject(kept) } else { others.append(KeptObject(kept)) }
    return kept.get()
  }
}
