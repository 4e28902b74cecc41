import CofferVault

/// The values of an array literal of arguments, in one block of memory.
///
/// Arguments are mostly written as a literal, bound once and released. An `Array` of them costs
/// twice as much, most of it in the runtime's generic allocation and destruction.
///
/// - Invariant: The values don't change once the block is filled.
@usableFromInline
@safe struct LiteralArguments {
  private struct Header {
    var count: Int
    /// Whether a value owns memory: a text, a blob or an array.
    var ownsMemory = false
  }

  private final class Block: ManagedBuffer<Header, StatementArgument> {
    deinit {
      unsafe withUnsafeMutablePointers { header, values in
        guard unsafe header.pointee.ownsMemory else { return }
        _ = unsafe values.deinitialize(count: header.pointee.count)
      }
    }
  }

  private let block: ManagedBuffer<Header, StatementArgument>

  /// Converts the elements of a literal.
  @usableFromInline
  @safe init(_ elements: UnsafeBufferPointer<(any StatementBinding)?>) {
    self.init(elements, inPlace: LiteralElement.layoutIsKnown)
  }

  /// - Parameter inPlace: Whether elements are read by their layout, see ``LiteralElement``.
  @safe init(_ elements: UnsafeBufferPointer<(any StatementBinding)?>, inPlace: Bool) {
    let count = elements.count
    block = Block.create(minimumCapacity: count) { _ in Header(count: count) }
    unsafe block.withUnsafeMutablePointers { header, values in
      guard let start = elements.baseAddress else { return }
      for index in 0..<count {
        let element = unsafe LiteralElement(start + index)
        if inPlace, let integer = element.integer {
          unsafe (values + index).initialize(
            to: StatementArgument(DatabaseValue(storage: .int64(integer))))
        } else {
          let argument =
            unsafe inPlace
            ? element.argument : (start + index).pointee?.statementArgument ?? .null
          if argument.ownsMemory { unsafe header.pointee.ownsMemory = true }
          unsafe (values + index).initialize(to: argument)
        }
      }
    }
  }

  /// The number of values.
  var count: Int { block.header.count }

  /// Whether a value owns memory, as a text, a blob or an array does.
  @safe var ownsMemory: Bool {
    unsafe block.withUnsafeMutablePointerToHeader { unsafe $0.pointee.ownsMemory }
  }

  /// The values as an array, which is made at each call.
  var array: [StatementArgument] { withValues { unsafe Array($0) } }

  /// Calls `body` with the values.
  @safe func withValues<Result>(
    _ body: (UnsafeBufferPointer<StatementArgument>) throws -> Result
  ) rethrows -> Result {
    try unsafe block.withUnsafeMutablePointers { header, values in
      try unsafe body(UnsafeBufferPointer(start: values, count: header.pointee.count))
    }
  }
}

// SAFETY: the block isn't changed after its initialization, and its values are Sendable.
extension LiteralArguments: @unchecked Sendable {}

/// An element of a literal, read where it is.
///
/// Swift copies an existential to read it, through calls of the runtime that take longer than to
/// bind the value. Where the layout isn't the known one, that is what happens.
@safe struct LiteralElement {
  /// Whether this process's Swift has the layout that is assumed here, tested once with elements of
  /// known results.
  static let layoutIsKnown: Bool = {
    typealias Element = (any StatementBinding)?
    guard MemoryLayout<Element>.stride == 5 * MemoryLayout<UInt>.size,
      MemoryLayout<Element>.size == MemoryLayout<any StatementBinding>.size
    else { return false }
    let probes: [Element] = [Int.min + 7, nil, Int64(-5), true, "a text that isn't in the element"]
    return unsafe probes.withUnsafeBufferPointer { probes in
      guard let start = probes.baseAddress else { return false }
      let elements = (0..<probes.count).map { unsafe LiteralElement(start + $0) }
      let type = UInt(bitPattern: ObjectIdentifier(String.self))
      return elements.map(\.integer) == [Int64(Int.min + 7), nil, -5, nil, nil]
        && elements[1].type == 0 && elements[3].type != 0 && elements[4].type == type
    }
  }()

  private let address: UnsafeRawPointer

  @inline(__always)
  init(_ element: UnsafePointer<(any StatementBinding)?>) {
    unsafe address = UnsafeRawPointer(element)
  }

  /// The metadata of the value's type, after three words of value; 0 for nil.
  ///
  /// See "Opaque Existential Containers" in Swift's `docs/ABI/TypeLayout.rst`, and
  /// LiteralArgumentsTests.
  @inline(__always)
  private var type: UInt {
    unsafe address.load(fromByteOffset: 3 * MemoryLayout<UInt>.size, as: UInt.self)
  }

  /// The integer, if the value is an `Int` or an `Int64`.
  @inline(__always)
  var integer: Int64? {
    let type = type
    guard
      type == UInt(bitPattern: ObjectIdentifier(Int.self))
        || type == UInt(bitPattern: ObjectIdentifier(Int64.self))
    else { return nil }
    // SAFETY: values of up to three words are stored in the container itself.
    return unsafe address.load(as: Int64.self)
  }

  /// The argument of a value of any type.
  var argument: StatementArgument {
    guard type != 0 else { return .null }
    // SAFETY: an optional existential that isn't nil has the layout of the existential.
    return unsafe address.assumingMemoryBound(to: (any StatementBinding).self).pointee
      .statementArgument
  }
}
