/// All assumptions about Swift's ABI and about texts of the standard library.
///
/// On Linux, a program contains the standard library of its compiler, and these details can change.
/// So each assumption is tested before its use, on types with known results. If it doesn't hold,
/// its users rely on samples alone, or throw.
enum SwiftABI {
  enum Assumption: CaseIterable {
    /// The layout of enum metadata, and that a case without payload is stored as its position.
    ///
    /// Source: `docs/ABI/TypeMetadata.rst`, `include/swift/ABI/MetadataKind.def` and
    /// `TargetEnumDescriptor` in `include/swift/ABI/Metadata.h`; `SingletonEnumImplStrategy` and
    /// `NoPayloadEnumImplStrategy` in `lib/IRGen/GenEnum.cpp`. Used by ``isEnum(_:)`` and
    /// ``PlainEnum``.
    case enums

    /// That the runtime's function returns the name of an enum's case.
    ///
    /// Source: `_getEnumCaseName` in `stdlib/public/core/OutputStream.swift`. Used by
    /// ``enumCaseName(_:)``.
    case caseNames

    /// The memory layout of key paths.
    ///
    /// Source: `stdlib/public/core/KeyPath.swift` and `include/swift/ABI/KeyPath.h`. Used by
    /// ``KeyPathParts``.
    case keyPathParts

    /// That a key path's description is `\Root.name.name`.
    ///
    /// Missing names are `<computed …>` or `<offset …>`. Source: `debugDescription` in
    /// `stdlib/public/core/KeyPath.swift`. Used by ``names(of:)``.
    case keyPathNames

    fileprivate var isTrue: Bool {
      switch self {
      case .enums: SwiftABI.areEnumsKnown
      case .caseNames: runtimeName(of: Probe.Plain.second) == "second"
      case .keyPathParts: KeyPathParts.areKnown
      case .keyPathNames: SwiftABI.areNamesKnown
      }
    }
  }

  /// Assumptions that tests treat as false.
  @TaskLocal static var broken: Set<Assumption> = []

  private static let checked = Set(Assumption.allCases.filter(\.isTrue))

  /// Returns whether an assumption holds in this process.
  static func holds(_ assumption: Assumption) -> Bool {
    checked.contains(assumption) && !broken.contains(assumption)
  }

  /// The type that the assumptions are tested with.
  fileprivate struct Probe {
    enum Single { case only }
    enum Plain: CaseIterable { case first, second, third }
    enum Loaded { case number(Int), nothing }
    struct Inner {
      var plain: Int
      var observed: Int { didSet {} }
    }

    var stored: Int
    var observed: Int { didSet {} }
    var readable: Int { stored }
    let inner: Inner
    var maybe: Inner?
    subscript(index: Int) -> Inner {
      get { inner }
      set { stored = index }
    }
  }

  /// Whether the case names of coding keys can be determined.
  static var namesCases: Bool { holds(.enums) && holds(.caseNames) }

  // MARK: Enums

  /// Returns whether a type is an enum; false for `Optional`.
  static func isEnum(_ type: any Any.Type) -> Bool { holds(.enums) && isKnownEnum(type) }

  fileprivate static func isKnownEnum(_ type: any Any.Type) -> Bool {
    // SAFETY: a metatype is the address of the type's metadata, which lives forever. Its first word
    // is the kind, or, for a class, an address above all kinds. See Assumption.enums.
    unsafe unsafeBitCast(type, to: UnsafeRawPointer.self).load(as: UInt.self) == 0x201
  }

  /// Returns the number of cases of an enum without payloads; nil for other types.
  fileprivate static func caseCount(_ type: any Any.Type) -> Int? {
    guard isKnownEnum(type) else { return nil }
    // SAFETY: the second word of an enum's metadata is the address of its descriptor. The
    // descriptor's 32-bit words are flags, parent, name, accessor, fields, the number of cases with
    // payload (24 bits), and the number of the others. See Assumption.enums.
    let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard let descriptor = unsafe metadata.load(fromByteOffset: 8, as: UnsafeRawPointer?.self)
    else {
      return nil
    }
    let kind = unsafe descriptor.load(as: UInt32.self) & 0x1F
    let payloadCases = unsafe descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
    guard kind == 18, payloadCases == 0 else { return nil }
    return unsafe Int(descriptor.load(fromByteOffset: 24, as: UInt32.self))
  }

  private static var areEnumsKnown: Bool {
    MemoryLayout<any Any.Type>.size == 8 && caseCount(Probe.Single.self) == 1
      && caseCount(Probe.Plain.self) == 3 && caseCount(Probe.Loaded.self) == nil
      && isKnownEnum(Probe.Loaded.self) && !isKnownEnum(Int.self) && !isKnownEnum(Int?.self)
      && !isKnownEnum(Probe.self) && MemoryLayout<Probe.Single>.size == 0
      && Probe.Plain.allCases.map { unsafe withUnsafeBytes(of: $0, Array.init) } == [[0], [1], [2]]
  }

  // MARK: Names in key paths

  /// Returns the names in a key path: `score`, `address?.city?`; nil if one is missing.
  static func names(of keyPath: AnyKeyPath) -> String? {
    // A property of size 0 shares its offset, and so its name, with another one.
    guard holds(.keyPathNames), size(type(of: keyPath).valueType) > 0 else { return nil }
    return knownNames(of: keyPath)
  }

  private static func knownNames(of keyPath: AnyKeyPath) -> String? {
    let root = "\\\(_typeName(type(of: keyPath).rootType, qualified: false))."
    let description = "\(keyPath)"
    let names = description.dropFirst(root.count)
    guard description.hasPrefix(root), !names.isEmpty, !names.contains("<") else { return nil }
    return String(names)
  }

  private static func size(_ type: any Any.Type) -> Int {
    func size<Value>(_ type: Value.Type) -> Int { MemoryLayout<Value>.size }
    return _openExistential(type, do: size)
  }

  private static var areNamesKnown: Bool {
    let paths: [(PartialKeyPath<Probe>, String?)] = [
      (\.stored, "stored"), (\.inner.plain, "inner.plain"), (\.maybe?.plain, "maybe?.plain?"),
      (\.maybe!.plain, "maybe!.plain"), (\.observed, nil), (\.inner.observed, nil), (\.[0], nil),
    ]
    return paths.allSatisfy { knownNames(of: $0) == $1 }
  }
}

// MARK: - Enums

/// An enum without associated values, whose values can be made from their positions.
struct PlainEnum<T> {
  /// The number of cases, at least one.
  let count: Int

  /// Creates a description of the enum.
  /// - Returns: Nil for other types, for an enum without cases, and if
  ///   ``SwiftABI/Assumption/enums`` doesn't hold.
  init?(_ type: T.Type) {
    guard SwiftABI.holds(.enums), let count = SwiftABI.caseCount(type), count > 0, _isPOD(T.self),
      MemoryLayout<T>.size == Self.tagSize(count), !Self.mayStoreRawValue
    else { return nil }
    self.count = count
  }

  /// Returns the value of a case by its position in the declaration.
  func value(at position: Int) -> T {
    precondition((0..<count).contains(position), "\(T.self) has no case \(position)")
    return unsafe withUnsafeTemporaryAllocation(
      byteCount: max(MemoryLayout<T>.size, 1), alignment: MemoryLayout<T>.alignment
    ) { memory in
      // SAFETY: an enum of `count` cases without payload is stored as the case's position, an
      // integer of tagSize(count) bytes (none for a single case). init checked that there is no
      // payload, that the size matches, that the type is trivial, and that it isn't stored as its
      // raw value; the position is below the count. See Assumption.enums.
      for index in 0..<MemoryLayout<T>.size {
        unsafe memory[index] = UInt8(truncatingIfNeeded: position >> (8 * index))
      }
      return unsafe memory.baseAddress.unsafelyUnwrapped.loadUnaligned(as: T.self)
    }
  }

  /// All values in the order of the declaration.
  var values: [T] { (0..<count).map(value(at:)) }

  private static func tagSize(_ count: Int) -> Int {
    switch count {
    case 1: 0
    case ...0x100: 1
    case ...0x1_0000: 2
    default: 4
    }
  }

  /// Whether it may be a C enum (`@c`), which is stored as an integer of its raw type.
  private static var mayStoreRawValue: Bool {
    func mayStore<R: RawRepresentable>(_ type: R.Type) -> Bool {
      R.RawValue.self is any FixedWidthInteger.Type
        && MemoryLayout<R.RawValue>.size == MemoryLayout<R>.size
    }
    return (T.self as? any RawRepresentable.Type).map { mayStore($0) } ?? false
  }
}

@_silgen_name("swift_EnumCaseName")
private func runtimeEnumCaseName<T>(_ value: T) -> UnsafePointer<CChar>?

private func runtimeName<T>(of value: T) -> String? {
  // SAFETY: the name lives in the program's image. See Assumption.caseNames.
  unsafe runtimeEnumCaseName(value).map { unsafe String(cString: $0) }
}

/// Returns the name of the value's case if it is an enum without payload.
func enumCaseName<T>(_ value: T) -> String? {
  guard SwiftABI.namesCases, PlainEnum(T.self) != nil else { return nil }
  return runtimeName(of: value)
}

// MARK: - Key paths

/// The parts of a key path: which ones only read memory, and which run code.
///
/// Key paths have no API for this. A property with a wrapper or an observer runs code like a
/// computed property, and has no offset; but it has a setter.
struct KeyPathParts {
  struct Computed {
    /// Whether it can be set where the key path was written.
    let isSettable: Bool
    /// Whether it is a protocol requirement: the actual property depends on the type.
    let isRequirement: Bool
    /// Whether it captures arguments of a subscript, or generic arguments.
    let hasArguments: Bool
    /// The type that declares it.
    let base: any Any.Type
  }

  /// The parts that run code, in order.
  private(set) var computed: [Computed] = []
  /// Whether reading it traps for nil.
  private(set) var isForced = false

  /// Creates a description of a key path.
  /// - Returns: Nil if the parts are unknown: for all but stored properties of structs if
  ///   ``SwiftABI/Assumption/keyPathParts`` doesn't hold.
  init?(_ keyPath: AnyKeyPath) {
    if SwiftABI.holds(.keyPathParts), read(keyPath) { return }
    func isStored<Root>(_ type: Root.Type) -> Bool {
      (keyPath as? PartialKeyPath<Root>).flatMap { MemoryLayout<Root>.offset(of: $0) } != nil
    }
    guard _openExistential(type(of: keyPath).rootType, do: isStored) else { return nil }
    (computed, isForced) = ([], false)
  }

  private init() {}

  /// Reads the parts.
  /// - Returns: False if the layout isn't as expected.
  private mutating func read(_ keyPath: AnyKeyPath) -> Bool {
    var base: any Any.Type = type(of: keyPath).rootType
    // SAFETY: a key path is an object of two words, a word for its offset, and its parts: their
    // size in the lower 24 bits of a word, and for each part a 32-bit word, whose bits 24 to 30 are
    // its kind, followed by data that depends on the kind. Between two parts is the type, aligned
    // to 8 bytes. See Assumption.keyPathParts. Nothing beyond their size is read.
    let object = unsafe UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
    let size = unsafe Int((object + 24).load(as: UInt32.self) & 0xFF_FFFF)
    var parts = unsafe UnsafeRawBufferPointer(start: object + 32, count: size)
    func skip(_ count: Int) -> Bool {
      guard count >= 0, parts.count >= count else { return false }
      unsafe parts = unsafe UnsafeRawBufferPointer(rebasing: parts.dropFirst(count))
      return true
    }
    while unsafe !parts.isEmpty {
      guard parts.count >= 4 else { return false }
      let header = unsafe parts.load(as: UInt32.self)
      guard skip(4) else { return false }
      switch header >> 24 & 0x7F {
      // A stored property of a struct or tuple, or of a class; some are followed by the offset.
      case 1, 3: if header & 0x7F_FFFF == 0x7F_FFFF, !skip(4) { return false }
      // `?`, the wrapping by `?`, and `!`.
      case 4: if header & 0xFF_FFFF == 2 { isForced = true }
      case 2:
        let isSettable = header & 0x40_0000 != 0
        // Padding to 8 bytes, an identifier, the getter, and the setter.
        guard skip(isSettable ? 28 : 20) else { return false }
        var arguments = 0
        if header & 0x08_0000 != 0 {
          // The arguments' size, their witnesses, sometimes one more word, and the arguments.
          guard parts.count >= 8 else { return false }
          arguments = unsafe parts.load(as: Int.self)
          guard skip(header & 0x10 != 0 ? 24 : 16), skip(arguments) else { return false }
        }
        computed.append(
          Computed(
            isSettable: isSettable, isRequirement: header & 0x10_0000 != 0,
            hasArguments: arguments > 0, base: base))
      default: return false
      }
      guard unsafe !parts.isEmpty, let start = parts.baseAddress else { break }
      let gap = Int(bitPattern: start) & 7
      guard skip(gap == 0 ? 0 : 8 - gap), parts.count >= 8 else { return false }
      base = unsafe parts.load(as: Any.Type.self)
      guard skip(8) else { return false }
    }
    return true
  }

  fileprivate static var areKnown: Bool {
    typealias Probe = SwiftABI.Probe
    let paths: [(PartialKeyPath<Probe>, [Bool], isForced: Bool)] = [
      (\.stored, [], false), (\.inner, [], false), (\.observed, [true], false),
      (\.readable, [false], false), (\.inner.observed, [true], false),
      (\.maybe?.observed, [true], false), (\.maybe!.observed.description, [true, false], true),
      (\.[3].observed.description, [true, true, false], false),
    ]
    return unsafe MemoryLayout<UnsafeRawPointer>.size == 8
      && paths.allSatisfy { path, settable, isForced in
        var parts = KeyPathParts()
        guard parts.read(path), parts.isForced == isForced else { return false }
        // Only the subscript, the first of three parts, has arguments.
        return parts.computed.map(\.isSettable) == settable
          && parts.computed.map(\.hasArguments) == settable.indices.map { $0 == settable.count - 3 }
          && parts.computed.allSatisfy { !$0.isRequirement }
          && (settable.count < 2 || parts.computed.last?.base == Int.self)
      }
  }
}
