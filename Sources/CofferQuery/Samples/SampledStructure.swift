/// A standard type whose samples are made without decoding it.
protocol SampledStructure {
  static func sample(_ decoder: SampleDecoder) throws -> Any
}

/// A marker for arrays.
protocol SampledList {}

extension Array: SampledList {}

extension Optional: SampledStructure where Wrapped: Decodable {
  static func sample(_ decoder: SampleDecoder) throws -> Any {
    decoder.node.isOptional = true
    if decoder.omits { return Wrapped?.none as Any }
    do {
      try decoder.mayOmit(Wrapped.self)
      return Wrapped?.some(try decoder.value(Wrapped.self)) as Any
    } catch {
      try decoder.run.omit(after: error)
      decoder.node.restart()
      return Wrapped?.none as Any
    }
  }
}

extension Array: SampledStructure where Element: Decodable {
  /// Returns an array of one or two elements, so that there is a first one.
  static func sample(_ decoder: SampleDecoder) throws -> Any {
    do {
      try decoder.mayOmit(Element.self)
      return try (0..<decoder.count).map { index in
        try decoder.inside(decoder.node.child("[\(index)]", isInList: true)).value(Element.self)
      }
    } catch {
      try decoder.run.omit(after: error)
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
        (0..<decoder.count).map { index in
          try decoder.inside(decoder.node.detached("[\(index)]")).value(Element.self)
        })
    } catch {
      try decoder.run.omit(after: error)
      return Set<Element>()
    }
  }
}

extension Dictionary: SampledStructure where Key: Decodable, Value: Decodable {
  static func sample(_ decoder: SampleDecoder) throws -> Any {
    decoder.node.hasAnyKeys = true
    do {
      try decoder.mayOmit(Value.self)
      let pairs = try (0..<(decoder.isVaried ? decoder.count : 1)).map { index in
        let name = index == 0 ? "" : "\(index)"
        return (
          try decoder.inside(decoder.node.detached("key" + name)).value(Key.self),
          try decoder.inside(decoder.node.detached("value" + name)).value(Value.self)
        )
      }
      return [Key: Value](pairs, uniquingKeysWith: { $1 })
    } catch {
      try decoder.run.omit(after: error)
      return [Key: Value]()
    }
  }
}
