/// What kind of type a type is, as far as it matters here.
enum TypeKind {
  case enumeration
  case other

  init(_ type: any Any.Type) {
    // SAFETY: a metatype without a witness table is the address of the type's metadata, whose
    // first word is the kind (or, for a class, an address: above all kinds). Both are part of
    // Swift's ABI on Linux, where the standard library is built for one version; 0x201 is that
    // of enums, `Optional` not among them.
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    self = metadata.load(as: UInt.self) == 0x201 ? .enumeration : .other
  }
}
