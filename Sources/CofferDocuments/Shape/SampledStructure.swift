/// A standard type of which a sample is made without decoding it.
protocol SampledStructure {
  static func sample(_ decoder: SampleDecoder) throws -> Any
}

/// Any type that is an optional.
protocol AnyOptional {
  static var wrappedType: any Any.Type { get }
  /// The value, of the wrapped type.
  var wrapped: Any? { get }
}

extension Optional: AnyOptional {
  static var wrappedType: any Any.Type { Wrapped.self }
  var wrapped: Any? { self }
}

extension Optional: SampledStructure where Wrapped: Decodable {
  static func sample(_ decoder: SampleDecoder) throws -> Any {
    decoder.node.isOptional = true
    do {
      try decoder.mayOmit(Wrapped.self)
      return Wrapped?.some(try decoder.value(Wrapped.self)) as Any
    } catch is EndlessSample {
      decoder.node.restart()
      return Wrapped?.none as Any
    }
  }
}

extension Array: SampledStructure where Element: Decodable {
  /// One or two elements, so that none doesn't have a first one.
  static func sample(_ decoder: SampleDecoder) throws -> Any {
    do {
      try decoder.mayOmit(Element.self)
      return try (0...decoder.bit).map { index in
        try decoder.inside(decoder.node.child("[\(index)]", isInList: true)).value(Element.self)
      }
    } catch is EndlessSample {
      decoder.node.restart()
      return [Element]()
    }
  }
}

extension Set: SampledStructure where Element: Decodable {
  static func sample(_ decoder: SampleDecoder) throws -> Any {
    do {
      try decoder.mayOmit(Element.self)
      return try Set(
        (0...decoder.bit).map { index in
          try decoder.inside(decoder.node.detached("[\(index)]")).value(Element.self)
        })
    } catch is EndlessSample {
      return Set<Element>()
    }
  }
}

extension Dictionary: SampledStructure where Key: Decodable, Value: Decodable {
  static func sample(_ decoder: SampleDecoder) throws -> Any {
    do {
      try decoder.mayOmit(Value.self)
      let key = try decoder.inside(decoder.node.detached("key")).value(Key.self)
      let value = try decoder.inside(decoder.node.detached("value")).value(Value.self)
      return [key: value]
    } catch is EndlessSample {
      return [Key: Value]()
    }
  }
}
