import CofferCore
import CofferObservation

extension Filterable where Row: Sendable {
  // MARK: Observations

  /// An observation of the documents of the query.
  ///
  /// ```swift
  /// let names = books.filter(\.priceCents, lessThan: 1000).observation()
  ///   .map { books in books.map(\.name) }
  ///   .removeDuplicates()
  /// for try await names in names.values(in: store.writer) { … }
  /// ```
  ///
  /// There is a first value, and then one after each commit that has changed what the query reads:
  /// the columns that it names, of all documents of the collection. In a ``DatabasePool``, nobody
  /// has to wait for its fetches. What is wrong with the query arrives as the observation's error.
  public func observation() -> ValueObservation<ValueReducers.Fetch<[Row]>> {
    let query = all()
    return .trackingConstantRegion { db in try query.fetchMany(query.collection.prepare(db)) }
  }

  /// An observation of the first document of the query; nil where there is none.
  public func observationOfFirst() -> ValueObservation<ValueReducers.Fetch<Row?>> {
    let query = all()
    return .trackingConstantRegion { db in try query.fetchOne(query.collection.prepare(db)) }
  }

  // MARK: Asynchronous sequences

  /// The documents of the query, and again after each commit that has changed what it reads.
  ///
  /// ```swift
  /// for try await cheap in books.filter(\.priceCents, lessThan: 1000).values() {
  ///   …
  /// }
  /// ```
  ///
  /// Each iteration is an observation of its own, which is over with it, with the task, or with an
  /// error, which the loop throws.
  /// - Parameter bufferingPolicy: What becomes of values that the loop hasn't asked for yet; all
  ///   are kept by default.
  public func values(
    bufferingPolicy: AsyncValueObservation<[Row]>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<[Row]> {
    observation().values(in: all().collection.access.writer, bufferingPolicy: bufferingPolicy)
  }

  /// The first document of the query, nil where there is none; and again after each commit that
  /// has changed what it reads.
  public func valuesOfFirst(
    bufferingPolicy: AsyncValueObservation<Row?>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Row?> {
    observationOfFirst().values(
      in: all().collection.access.writer, bufferingPolicy: bufferingPolicy)
  }
}

extension Filterable where Row: _SendableMetatype {
  // MARK: A property

  /// An observation of a property of each document of the query.
  ///
  /// Changes of other properties, that the query doesn't read, make no new value.
  public func observation<Value: Codable & Sendable>(
    _ property: KeyPath<Row, Value>
  ) -> ValueObservation<ValueReducers.Fetch<[Value]>> {
    let query = all()
    let column = Result { try query.collection.type.column(property) }
    return .trackingConstantRegion { db in
      try query.fetchMany(Value.self, column.get(), query.collection.prepare(db))
    }
  }

  /// A property of each document of the query, and again after each commit that has changed what
  /// it reads.
  ///
  /// ```swift
  /// for try await names in books.filter(\.priceCents, lessThan: 1000).values(\.name) {
  ///   …
  /// }
  /// ```
  public func values<Value: Codable & Sendable>(
    _ property: KeyPath<Row, Value>,
    bufferingPolicy: AsyncValueObservation<[Value]>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<[Value]> {
    observation(property).values(
      in: all().collection.access.writer, bufferingPolicy: bufferingPolicy)
  }

  // MARK: The number

  /// An observation of the number of documents of the query, told when it is another one.
  public func observationOfCount()
    -> ValueObservation<ValueReducers.RemoveDuplicates<ValueReducers.Fetch<Int>>>
  {
    let query = all()
    return ValueObservation<ValueReducers.Fetch<Int>>
      .trackingConstantRegion { db in try query.fetchCount(query.collection.prepare(db)) }
      .removeDuplicates()
  }

  /// The number of documents of the query, and again whenever a commit has made it another one.
  public func valuesOfCount(
    bufferingPolicy: AsyncValueObservation<Int>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Int> {
    observationOfCount().values(
      in: all().collection.access.writer, bufferingPolicy: bufferingPolicy)
  }
}
