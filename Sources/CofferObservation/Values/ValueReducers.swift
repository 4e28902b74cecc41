import CofferCore

extension ValueReducers {
  /// Delivers the fetched results.
  public struct Fetch<Value: Sendable>: ValueReducer {
    let fetch: @Sendable (Database) throws -> Value
    /// Makes what keeps the value; nil if it is fetched each time.
    let keep: (@Sendable () -> _KeptValue<Value>)?

    init(fetch: @escaping @Sendable (Database) throws -> Value) {
      self.fetch = fetch
      keep = nil
    }

    /// Creates a reducer of a value that is kept, if there is a source of it.
    package init<Source: KeptSource>(
      kept source: Source?, fetch: @escaping @Sendable (Database) throws -> Value
    ) where Source.Value == Value {
      self.fetch = fetch
      keep = if let source { { _KeptValue(KeptRows(source)) } } else { nil }
    }

    /// Returns what keeps the value.
    public func _makeKeptValue() -> _KeptValue<Value>? { keep?() }

    /// Returns the function that fetches.
    public func makeFetcher() -> @Sendable (Database) throws -> Value { fetch }

    /// Returns the fetched result.
    public func reduce(_ fetched: Value) -> Value? { fetched }
  }

  /// Delivers another reducer's values, transformed by a function.
  public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
    var base: Base
    let transform: @Sendable (Base.Value) throws -> Value

    /// Returns what keeps the base reducer's value.
    public func _makeKeptValue() -> _KeptValue<Base.Fetched>? { base._makeKeptValue() }

    /// Returns the function that fetches.
    public func makeFetcher() -> @Sendable (Database) throws -> Base.Fetched { base.makeFetcher() }

    /// Returns the transformed value.
    public mutating func reduce(_ fetched: Base.Fetched) throws -> Value? {
      try base.reduce(fetched).map(transform)
    }
  }

  /// Delivers another reducer's values, except those that equal the previous one.
  public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
    var base: Base
    let predicate: @Sendable (Base.Value, Base.Value) -> Bool
    var last: Base.Value?

    /// Returns what keeps the base reducer's value.
    public func _makeKeptValue() -> _KeptValue<Base.Fetched>? { base._makeKeptValue() }

    /// Returns the function that fetches.
    public func makeFetcher() -> @Sendable (Database) throws -> Base.Fetched { base.makeFetcher() }

    /// Returns the value.
    ///
    /// Nil if it equals the previous one.
    public mutating func reduce(_ fetched: Base.Fetched) throws -> Base.Value? {
      guard let value = try base.reduce(fetched) else { return nil }
      if let last, predicate(last, value) { return nil }
      last = value
      return value
    }
  }

  /// Delivers another reducer's values, and calls functions before fetches and values.
  public struct Trace<Base: ValueReducer>: ValueReducer {
    var base: Base
    let willFetch: @Sendable () -> Void
    let didReceiveValue: @Sendable (Base.Value) -> Void

    /// Returns what keeps the base reducer's value.
    public func _makeKeptValue() -> _KeptValue<Base.Fetched>? {
      base._makeKeptValue()?.handlingFetches(willFetch)
    }

    /// Returns the function that fetches.
    public func makeFetcher() -> @Sendable (Database) throws -> Base.Fetched {
      let fetch = base.makeFetcher()
      return { [willFetch] db in
        willFetch()
        return try fetch(db)
      }
    }

    /// Returns the base reducer's value.
    public mutating func reduce(_ fetched: Base.Fetched) throws -> Base.Value? {
      let value = try base.reduce(fetched)
      if let value { didReceiveValue(value) }
      return value
    }
  }
}
