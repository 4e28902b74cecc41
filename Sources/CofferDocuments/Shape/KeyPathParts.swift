/// What a key path is made of: where it only looks, and where code runs.
///
/// Key paths don't tell by themselves. What a wrapper or an observer makes of a stored property runs
/// code as a computed property does, and has no offset; but it can be set.
struct KeyPathParts {
  struct Computed {
    /// Whether it can be set, where the key path was written.
    let isSettable: Bool
    /// Whether a protocol requires it: which property it is depends on the type.
    let isRequirement: Bool
    /// The type that has it.
    let base: any Any.Type
  }

  /// The places where code runs, in their order.
  private(set) var computed: [Computed] = []

  init(_ keyPath: AnyKeyPath) {
    let count = "\(keyPath)".ranges(of: "<computed ").count
    guard count > 0 else { return }
    let isKnown = KeyPathParts.isLayoutKnown && read(keyPath)
    if !isKnown {
      computed = []
      let description = "\(type(of: keyPath))"
      let isWritable = ["WritableKeyPath<", "ReferenceWritableKeyPath<"].contains {
        description.hasPrefix($0)
      }
      computed.append(
        Computed(isSettable: isWritable, isRequirement: false, base: type(of: keyPath).rootType))
    }
    // Nothing is known of what follows a part that has captured something.
    while computed.count < count {
      computed.append(Computed(isSettable: false, isRequirement: false, base: Void.self))
    }
  }

  /// Reads the parts, as far as they have captured nothing.
  ///
  /// - Returns: False where they aren't as expected.
  private mutating func read(_ keyPath: AnyKeyPath) -> Bool {
    var base: any Any.Type = type(of: keyPath).rootType
    // SAFETY: a key path is an object of two words, a word for its offset, and its parts: their size
    // in the lower 24 bits of a word, and for each a word of 32 bits, whose bits 24 to 30 are its
    // kind, and what the kind has behind it. Between two of them is the type, at a multiple of 8.
    // The layout is the compiler's and the standard library's, which on Linux are built for each
    // other; `isLayoutKnown` has looked at key paths whose parts are known. Nothing behind their
    // size is read.
    // SAFETY: as above.
    let object = unsafeBitCast(keyPath, to: UnsafeRawPointer.self)
    let size = Int((object + 24).load(as: UInt32.self) & 0xFF_FFFF)
    var parts = UnsafeRawBufferPointer(start: object + 32, count: size)
    func skip(_ count: Int) -> Bool {
      guard parts.count >= count else { return false }
      parts = UnsafeRawBufferPointer(rebasing: parts.dropFirst(count))
      return true
    }
    while !parts.isEmpty {
      guard parts.count >= 4 else { return false }
      let header = parts.load(as: UInt32.self)
      guard skip(4) else { return false }
      switch header >> 24 & 0x7F {
      // Of a struct or a tuple, and of a class; some have their offset behind them.
      case 1, 3: if header & 0x7F_FFFF == 0x7F_FFFF, !skip(4) { return false }
      // `?`, `!`, and what `?` makes of the whole.
      case 4: break
      case 2:
        let isSettable = header & 0x40_0000 != 0
        computed.append(
          Computed(
            isSettable: isSettable, isRequirement: header & 0x10_0000 != 0, base: base))
        // With something that is captured.
        if header & 0x08_0000 != 0 { return true }
        // To the multiple of 8, an identifier, the getter, and the setter.
        guard skip(isSettable ? 28 : 20) else { return false }
      default: return false
      }
      guard !parts.isEmpty, let start = parts.baseAddress else { break }
      let gap = Int(bitPattern: start) & 7
      guard skip(gap == 0 ? 0 : 8 - gap), parts.count >= 8 else { return false }
      base = parts.load(as: Any.Type.self)
      guard skip(8) else { return false }
    }
    return true
  }

  // MARK: The layout

  private struct Probe {
    struct Inner {
      var observed: Int { didSet {} }
    }

    var stored: Int
    var observed: Int { didSet {} }
    var readable: Int { stored }
    let inner: Inner
    var maybe: Inner?
  }

  /// Whether key paths of known parts are read as what they are.
  private static let isLayoutKnown: Bool = {
    let paths: [(PartialKeyPath<Probe>, [Bool])] = [
      (\.stored, []), (\.observed, [true]), (\.readable, [false]), (\.inner.observed, [true]),
      (\.maybe?.observed, [true]), (\.maybe!.observed.description, [true, false]),
      (\.inner, []),
    ]
    return MemoryLayout<UnsafeRawPointer>.size == 8
      && paths.allSatisfy { path, settable in
        var parts = KeyPathParts()
        return parts.read(path) && parts.computed.map(\.isSettable) == settable
          && parts.computed.allSatisfy { !$0.isRequirement }
          && (parts.computed.count < 2 || parts.computed[1].base == Int.self)
      }
  }()

  private init() {}
}
