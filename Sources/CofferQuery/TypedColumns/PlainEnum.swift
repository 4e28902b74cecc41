/// An enum without associated values, whose values can be made by their order.
package struct PlainEnum<T> {
  /// How many cases there are; at least one.
  package let count: Int

  /// - Returns: nil for any other type, and for an enum without cases.
  package init?(_ type: T.Type) {
    guard let count = Self.caseCount, count > 0, _isPOD(T.self),
      MemoryLayout<T>.size == Self.tagSize(count)
    else { return nil }
    self.count = count
  }

  /// The value of a case, by its position in the declaration.
  package func value(at position: Int) -> T {
    precondition((0..<count).contains(position), "\(T.self) has no case \(position)")
    return withUnsafeTemporaryAllocation(
      byteCount: max(MemoryLayout<T>.size, 1), alignment: MemoryLayout<T>.alignment
    ) { memory in
      // SAFETY: an enum of `count` cases without payload is stored as the case's
      // position, an integer of tagSize(count) bytes (none for a single case).
      // init checked that there is no payload, that the size is that one and that
      // the type is trivial; the position is below the count. Enums that are
      // stored as their raw value (`@c`) of another size are refused by the size
      // check, and ProbeValue finds those of one byte without coming here.
      for index in 0..<MemoryLayout<T>.size {
        memory[index] = UInt8(truncatingIfNeeded: position >> (8 * index))
      }
      return memory.baseAddress.unsafelyUnwrapped.loadUnaligned(as: T.self)
    }
  }

  /// All values, in their order in the declaration.
  var values: [T] { (0..<count).map(value(at:)) }

  private static func tagSize(_ count: Int) -> Int {
    switch count {
    case 1: 0
    case ...0x100: 1
    case ...0x1_0000: 2
    default: 4
    }
  }

  /// The number of cases, from the type's descriptor; nil unless it is an enum
  /// none of whose cases has a payload.
  private static var caseCount: Int? {
    // SAFETY: the layout of metadata is part of Swift's ABI: a word with the
    // kind, for enums a word with the descriptor's address. Its words of 32 bits
    // are flags, parent, name, accessor, fields, number of cases with payload (24
    // bits), number of cases without. Metadata and descriptors live forever.
    let metadata = unsafeBitCast(T.self as Any.Type, to: UnsafeRawPointer.self)
    let enumKind: UInt = 0x201
    guard metadata.load(as: UInt.self) == enumKind else { return nil }
    let word = MemoryLayout<UInt>.size
    guard let descriptor = metadata.load(fromByteOffset: word, as: UnsafeRawPointer?.self) else {
      return nil
    }
    let descriptorKind = descriptor.load(as: UInt32.self) & 0x1F
    let payloadCases = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
    guard descriptorKind == 18, payloadCases == 0 else { return nil }
    return Int(descriptor.load(fromByteOffset: 24, as: UInt32.self))
  }
}

/// The name of an enum value's case, and nil where there is none: the
/// runtime's own function, which string conversion uses.
@_silgen_name("swift_EnumCaseName")
private func runtimeEnumCaseName<T>(_ value: T) -> UnsafePointer<CChar>?

/// The name of the value's case, if it is one of an enum without payload.
package func enumCaseName<T>(_ value: T) -> String? {
  guard PlainEnum(T.self) != nil else { return nil }
  // SAFETY: the name lives in the program's image.
  return runtimeEnumCaseName(value).map { String(cString: $0) }
}
