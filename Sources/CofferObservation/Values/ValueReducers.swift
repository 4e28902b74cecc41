import CofferCore

extension ValueReducers {
  /// Delivers what is fetched.
  public struct Fetch<Value: Sendable>: ValueReducer {
    let fetch: @Sendable (Database) throws -> Value

    /// The function that fetches.
    public func makeFetcher() -> @Sendable (Database) throws -> Value { fetch }

    /// What was fetched.
    public func reduce(_ fetched: Value) -> Value? { fetched }
  }

  /// Delivers what a function makes of another reducer's values.
  public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
    var base: Base
    let transform: @Sendable (Base.Value) throws -> Value

    /// The function that fetches.
    public func makeFetcher() -> @Sendable (Database) throws -> Base.Fetched { base.makeFetcher() }

    /// The value, transformed.
    public mutating func reduce(_ fetched: Base.Fetched) throws -> Value? {
      try base.reduce(fetched).map(transform)
    }
  }

  /// Delivers another reducer's values, except those that equal the one before.
  public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
    var base: Base
    let predicate: @Sendable (Base.Value, Base.Value) -> Bool
    var last: Base.Value?

    /// The function that fetches.
    public func makeFetcher() -> @Sendable (Database) throws -> Base.Fetched { base.makeFetcher() }

    /// The value; nil where it equals the one before.
    public mutating func reduce(_ fetched: Base.Fetched) throws -> Base.Value? {
      guard let value = try base.reduce(fetched) else { return nil }
      if let last, predicate(last, value) { return nil }
      last = value
      return value
    }
  }

  /// Delivers another reducer's values, and tells of them before.
  public struct Trace<Base: ValueReducer>: ValueReducer {
    var base: Base
    let willFetch: @Sendable () -> Void
    let didReceiveValue: @Sendable (Base.Value) -> Void

    /// The function that fetches.
    public func makeFetcher() -> @Sendable (Database) throws -> Base.Fetched {
      let fetch = base.makeFetcher()
      return { [willFetch] db in
        willFetch()
        return try fetch(db)
      }
    }

    /// The value.
    public mutating func reduce(_ fetched: Base.Fetched) throws -> Base.Value? {
      let value = try base.reduce(fetched)
      if let value { didReceiveValue(value) }
      return value
    }
  }
}
