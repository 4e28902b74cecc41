import CofferCore
import CofferRecords

extension ValueObservation {
  /// An observation of what `fetch` returns; what it depends on is found out at each fetch.
  ///
  /// ```swift
  /// let observation = ValueObservation.tracking { db in
  ///   try Team.filter(id: 1).including(all: Team.players).asRequest(of: TeamInfo.self).fetchOne(db)
  /// }
  /// ```
  ///
  /// After a change, it fetches on the connection that writes, before anybody else can write.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    _ fetch: @escaping @Sendable (_ db: Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    Self(reducer: ValueReducers.Fetch(fetch: fetch), tracking: .eachFetch)
  }

  /// An observation of what `fetch` returns, which always reads the same tables and columns.
  ///
  /// In a ``DatabasePool``, nobody has to wait for its fetches.
  /// - Parameter fetch: Where it reads other tables or columns than in the first fetch, their
  ///   changes are missed.
  @preconcurrency
  public static func trackingConstantRegion<Value: Sendable>(
    _ fetch: @escaping @Sendable (_ db: Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    Self(reducer: ValueReducers.Fetch(fetch: fetch), tracking: .firstFetch)
  }

  /// An observation of what `fetch` returns, after each change in some regions.
  ///
  /// ```swift
  /// let observation = ValueObservation.tracking(region: Player.all()) { db in
  ///   try Player.maximumScore(db)
  /// }
  /// ```
  ///
  /// In a ``DatabasePool``, nobody has to wait for its fetches.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
    fetch: @escaping @Sendable (_ db: Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    tracking(regions: [region] + otherRegions, fetch: fetch)
  }

  /// An observation of what `fetch` returns, after each change in some regions.
  ///
  /// In a ``DatabasePool``, nobody has to wait for its fetches.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    regions: [any DatabaseRegionConvertible],
    fetch: @escaping @Sendable (_ db: Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    Self(reducer: ValueReducers.Fetch(fetch: fetch), tracking: .regions(regions))
  }
}

// MARK: - Older forms

extension ValueObservation {
  /// An observation of what `fetch` returns, after each change in some regions; the same as
  /// ``tracking(region:_:fetch:)``.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    _ region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
    fetch: @escaping @Sendable (_ db: Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    tracking(regions: [region] + otherRegions, fetch: fetch)
  }

  /// An observation of what `fetch` returns, after each change in some regions; the same as
  /// ``tracking(regions:fetch:)``.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    _ regions: [any DatabaseRegionConvertible],
    fetch: @escaping @Sendable (_ db: Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    tracking(regions: regions, fetch: fetch)
  }

  /// An observation of the number of rows that a request gives, told when it is another one.
  public static func trackingCount<Request: FetchRequest>(
    _ request: Request
  ) -> Self where Reducer == ValueReducers.RemoveDuplicates<ValueReducers.Fetch<Int>> {
    ValueObservation<ValueReducers.Fetch<Int>>
      .tracking(regions: [request]) { try request.fetchCount($0) }
      .removeDuplicates()
  }

  /// An observation of the records of a request.
  public static func trackingAll<Request: FetchRequest>(
    _ request: Request
  ) -> Self
  where
    Request.RowDecoder: FetchableRecord & Sendable,
    Reducer == ValueReducers.Fetch<[Request.RowDecoder]>
  {
    tracking(regions: [request]) { try request.fetchAll($0) }
  }

  /// An observation of a request's first record; nil where there is none.
  public static func trackingOne<Request: FetchRequest>(
    _ request: Request
  ) -> Self
  where
    Request.RowDecoder: FetchableRecord & Sendable,
    Reducer == ValueReducers.Fetch<Request.RowDecoder?>
  {
    tracking(regions: [request]) { try request.fetchOne($0) }
  }

  /// An observation of the values of a request.
  public static func trackingAll<Request: FetchRequest>(
    _ request: Request
  ) -> Self
  where
    Request.RowDecoder: DatabaseValueConvertible & Sendable,
    Reducer == ValueReducers.Fetch<[Request.RowDecoder]>
  {
    tracking(regions: [request]) { try request.fetchAll($0) }
  }

  /// An observation of a request's first value; nil where it is NULL, or there is no row.
  public static func trackingOne<Request: FetchRequest>(
    _ request: Request
  ) -> Self
  where
    Request.RowDecoder: DatabaseValueConvertible & Sendable,
    Reducer == ValueReducers.Fetch<Request.RowDecoder?>
  {
    tracking(regions: [request]) { try request.fetchOne($0) }
  }
}
