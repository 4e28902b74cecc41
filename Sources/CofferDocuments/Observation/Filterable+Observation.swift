import CofferCore
import CofferObservation

extension Filterable {
  /// The queue or pool of the store.
  var writer: any DatabaseWriter { all().collection.access.writer }
}

extension Filterable where Row: Sendable {
  // MARK: Observations

  /// Returns an observation of the documents of the query.
  ///
  /// ```swift
  /// let names = books.filter(\.priceCents, lessThan: 1000).observation()
  ///   .map { books in books.map(\.name) }
  ///   .removeDuplicates()
  /// for try await names in names.values(in: store.writer) { … }
  /// ```
  ///
  /// It has an initial value, and another one after each commit that changes what the query reads:
  /// the columns that it names, in all documents of the collection. In a ``DatabasePool``, its
  /// fetches don't block the writer. An error in the query becomes the observation's error.
  public func observation() -> ValueObservation<ValueReducers.Fetch<[Row]>> {
    let query = all()
    return .trackingConstantRegion(of: query.listSource) { db in
      try query.fetchMany(query.collection.prepare(db))
    }
  }

  /// Returns an observation of the first document of the query.
  ///
  /// Its value is nil if there is no document.
  public func observationOfFirst() -> ValueObservation<ValueReducers.Fetch<Row?>> {
    let query = all()
    return .trackingConstantRegion { db in try query.fetchOne(query.collection.prepare(db)) }
  }

  // MARK: Asynchronous sequences

  /// Returns the documents of the query, now and after each commit that changes what it reads.
  ///
  /// ```swift
  /// for try await cheap in books.filter(\.priceCents, lessThan: 1000).values() {
  ///   …
  /// }
  /// ```
  ///
  /// Each iteration starts an observation. It ends with the iteration, with the task, or with an
  /// error, which the loop throws.
  /// - Parameter bufferingPolicy: What happens to values that the loop hasn't requested yet; by
  ///   default, all are kept.
  public func values(
    bufferingPolicy: AsyncValueObservation<[Row]>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<[Row]> {
    observation().values(in: writer, bufferingPolicy: bufferingPolicy)
  }

  /// Returns the first document of the query, now and after each change.
  ///
  /// The document is nil if there is none. A change is a commit that changes what the query reads.
  public func valuesOfFirst(
    bufferingPolicy: AsyncValueObservation<Row?>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Row?> {
    observationOfFirst().values(
      in: writer, bufferingPolicy: bufferingPolicy)
  }
}

extension Filterable where Row: _SendableMetatype {
  // MARK: A property

  /// Returns an observation of a property of each document of the query.
  ///
  /// Changes of properties that the query doesn't read produce no value.
  public func observation<Value: Codable & Sendable>(
    _ property: KeyPath<Row, Value>
  ) -> ValueObservation<ValueReducers.Fetch<[Value]>> {
    let query = all()
    let selection = Result { try query.selection(property) }
    return .trackingConstantRegion { db in
      try query.fetchMany(selection.get(), query.collection.prepare(db))
    }
  }

  /// Returns a property of each document of the query, now and after each change.
  ///
  /// A change is a commit that changes what the query reads.
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
      in: writer, bufferingPolicy: bufferingPolicy)
  }

  // MARK: The number

  /// Returns an observation of the number of documents of the query, with a value when it changes.
  public func observationOfCount()
    -> ValueObservation<ValueReducers.RemoveDuplicates<ValueReducers.Fetch<Int>>>
  {
    let query = all()
    return ValueObservation<ValueReducers.Fetch<Int>>
      .trackingConstantRegion(of: query.countSource) { db in
        try query.fetchCount(query.collection.prepare(db))
      }
      .removeDuplicates()
  }

  /// Returns the number of documents of the query, now and whenever a commit changes it.
  public func valuesOfCount(
    bufferingPolicy: AsyncValueObservation<Int>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Int> {
    observationOfCount().values(
      in: writer, bufferingPolicy: bufferingPolicy)
  }
}
