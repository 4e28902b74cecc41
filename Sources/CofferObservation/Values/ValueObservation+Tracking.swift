import CofferCore
import CofferRecords

extension ValueObservation {
  /// Creates an observation of the result of `fetch`, whose region is recorded again at each fetch.
  ///
  /// ```swift
  /// let observation = ValueObservation.tracking { db in
  ///   try Team.filter(id: 1).including(all: Team.players).asRequest(of: TeamInfo.self).fetchOne(db)
  /// }
  /// ```
  ///
  /// After a change, it fetches on the writer, before any other write.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    _ fetch: @escaping @Sendable (_ db: Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    Self(reducer: ValueReducers.Fetch(fetch: fetch), tracking: .eachFetch)
  }

  /// Creates an observation of the result of `fetch`, whose region is constant.
  ///
  /// `fetch` must always read the same tables and columns.
  ///
  /// In a ``DatabasePool``, its fetches don't block the writer.
  /// - Parameter fetch: If it reads other tables or columns than in the first fetch, their changes
  ///   are missed.
  @preconcurrency
  public static func trackingConstantRegion<Value: Sendable>(
    _ fetch: @escaping @Sendable (_ db: Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    Self(reducer: ValueReducers.Fetch(fetch: fetch), tracking: .firstFetch)
  }

  /// Creates an observation of the result of `fetch`, repeated after each change in some regions.
  ///
  /// ```swift
  /// let observation = ValueObservation.tracking(region: Player.all()) { db in
  ///   try Player.maximumScore(db)
  /// }
  /// ```
  ///
  /// In a ``DatabasePool``, its fetches don't block the writer.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
    fetch: @escaping @Sendable (_ db: Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    tracking(regions: [region] + otherRegions, fetch: fetch)
  }

  /// Creates an observation of the result of `fetch`, repeated after each change in some regions.
  ///
  /// In a ``DatabasePool``, its fetches don't block the writer.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    regions: [any DatabaseRegionConvertible],
    fetch: @escaping @Sendable (_ db: Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    Self(reducer: ValueReducers.Fetch(fetch: fetch), tracking: .regions(regions))
  }
}

extension ValueObservation {
  /// Creates an observation of a value that can be kept, whose region is constant.
  ///
  /// - Parameter source: What is kept of it; nil if it is fetched each time.
  package static func trackingConstantRegion<Source: KeptSource>(
    of source: Source?, _ fetch: @escaping @Sendable (Database) throws -> Source.Value
  ) -> Self where Reducer == ValueReducers.Fetch<Source.Value> {
    Self(reducer: ValueReducers.Fetch(kept: source, fetch: fetch), tracking: .firstFetch)
  }
}

// MARK: - Older forms

extension ValueObservation {
  /// Creates an observation of the result of `fetch`, repeated after each change in some regions.
  ///
  /// The same as ``tracking(region:_:fetch:)``.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    _ region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
    fetch: @escaping @Sendable (_ db: Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    tracking(regions: [region] + otherRegions, fetch: fetch)
  }

  /// Creates an observation of the result of `fetch`, repeated after each change in some regions.
  ///
  /// The same as ``tracking(regions:fetch:)``.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    _ regions: [any DatabaseRegionConvertible],
    fetch: @escaping @Sendable (_ db: Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    tracking(regions: regions, fetch: fetch)
  }

  /// Creates an observation of the number of rows of a request, delivered when it differs.
  ///
  /// Up to 100,000 rows of one table, without a limit, are counted once. The first change reads
  /// their rowids, about 20 bytes of memory for each. From then on, the cost is that of the changed
  /// rows.
  public static func trackingCount<Request: FetchRequest>(
    _ request: Request
  ) -> Self where Reducer == ValueReducers.RemoveDuplicates<ValueReducers.Fetch<Int>> {
    ValueObservation<ValueReducers.Fetch<Int>>(
      reducer: ValueReducers.Fetch(kept: CountSource(request)) { try request.fetchCount($0) },
      tracking: .regions([request])
    )
    .removeDuplicates()
  }

  /// Creates an observation of the records of a request.
  public static func trackingAll<Request: FetchRequest>(
    _ request: Request
  ) -> Self
  where
    Request.RowDecoder: FetchableRecord & Sendable,
    Reducer == ValueReducers.Fetch<[Request.RowDecoder]>
  {
    Self(
      reducer: ValueReducers.Fetch(kept: ListSource(records: request)) { try request.fetchAll($0) },
      tracking: .regions([request]))
  }

  /// Creates an observation of a request's first record.
  ///
  /// Its value is nil if there is no record.
  public static func trackingOne<Request: FetchRequest>(
    _ request: Request
  ) -> Self
  where
    Request.RowDecoder: FetchableRecord & Sendable,
    Reducer == ValueReducers.Fetch<Request.RowDecoder?>
  {
    tracking(regions: [request]) { try request.fetchOne($0) }
  }

  /// Creates an observation of the values of a request.
  public static func trackingAll<Request: FetchRequest>(
    _ request: Request
  ) -> Self
  where
    Request.RowDecoder: DatabaseValueConvertible & Sendable,
    Reducer == ValueReducers.Fetch<[Request.RowDecoder]>
  {
    Self(
      reducer: ValueReducers.Fetch(kept: ListSource(values: request)) { try request.fetchAll($0) },
      tracking: .regions([request]))
  }

  /// Creates an observation of a request's first value.
  ///
  /// The observed value is nil if it is NULL, or there is no row.
  ///
  /// The sum of integers, alone in the selection, follows changes as a number of rows does in
  /// ``trackingCount(_:)``, by about 40 bytes of memory for each row.
  ///
  /// ```swift
  /// let request = Player.select(sum(Column("score")), as: Int.self)
  /// let observation = ValueObservation.trackingOne(request)
  /// ```
  public static func trackingOne<Request: FetchRequest>(
    _ request: Request
  ) -> Self
  where
    Request.RowDecoder: DatabaseValueConvertible & Sendable,
    Reducer == ValueReducers.Fetch<Request.RowDecoder?>
  {
    Self(
      reducer: ValueReducers.Fetch(kept: SumSource(request)) { try request.fetchOne($0) },
      tracking: .regions([request]))
  }
}
