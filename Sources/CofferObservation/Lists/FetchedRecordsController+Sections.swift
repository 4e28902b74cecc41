import CofferCore
import CofferRecords
import FoundationEssentials

extension FetchedRecordsController {
  /// The sections in order: exactly one, unless the controller was created with a `sectionName`.
  ///
  /// ```swift
  /// func tableView(_ view: TableView, numberOfRowsInSection section: Int) -> Int {
  ///   controller.sections[section].numberOfRecords
  /// }
  /// ```
  public var sections: [FetchedRecordsSectionInfo<Record>] {
    layout.names.indices.map { section in
      FetchedRecordsSectionInfo(
        name: sectionName == nil ? nil : layout.names[section],
        records: fetchedRecords[layout.range(of: section)])
    }
  }

  /// Returns the record at an index path.
  ///
  /// ```swift
  /// let player = controller.record(at: IndexPath(row: 3, section: 0))
  /// ```
  ///
  /// Traps if there is no such record.
  public func record(at indexPath: IndexPath) -> Record {
    guard let place = layout.place(at: indexPath) else {
      preconditionFailure("there is no record at \(Array(indexPath)): see `sections`")
    }
    return fetchedRecords[place]
  }

  /// Returns the index path of a record, found by its primary key or by `isSameRecord`.
  ///
  /// Nil if the record isn't in the list.
  ///
  /// The primary key is read from the encoded record: a record that isn't encodable, such as one
  /// that is only fetched, is not found.
  /// - Complexity: O(records).
  public func indexPath(for record: Record) -> IndexPath? {
    let place: Int?
    switch identity {
    case .function(let isSame): place = fetchedRecords.firstIndex { isSame($0, record) }
    case .primaryKey: place = key(of: record).flatMap { list.keys.firstIndex(of: $0) }
    case .contents: place = nil
    }
    return place.map { layout.indexPath($0) }
  }

  private func key(of record: Record) -> ListKey? {
    guard !list.keyColumns.isEmpty, let record = record as? any EncodableRecord,
      let values = try? record.databaseDictionary
    else { return nil }
    return ListKey(
      primaryKey: list.keyColumns.map { column in
        values.first { $0.key.isSameName(as: column) }?.value ?? .null
      })
  }
}
