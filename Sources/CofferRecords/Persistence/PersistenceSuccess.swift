import CofferCore

/// What has been inserted: see ``MutablePersistableRecord/didInsert(_:)``.
public struct InsertionSuccess {
  /// The rowid of the row; without one, or where a conflict has been ignored, that of the last
  /// insertion of the connection.
  public var rowID: Int64

  /// The `INTEGER PRIMARY KEY` column, whose value is the rowid; nil for none.
  public var rowIDColumn: String?

  @usableFromInline var stored: StoredValues

  /// The values that have been inserted, with the rowid in its column.
  public var persistenceContainer: PersistenceContainer {
    get {
      var container = stored.container
      if let rowIDColumn, container.storedValue(rowIDColumn)?.isNull ?? true {
        container.collect(rowID.databaseValue, rowIDColumn)
      }
      return container
    }
    set { stored = StoredValues(newValue) }
  }

  @inlinable
  init(rowID: Int64, rowIDColumn: String?, stored: StoredValues) {
    self.rowID = rowID
    self.rowIDColumn = rowIDColumn
    self.stored = stored
  }
}

/// What has been inserted or updated.
public struct PersistenceSuccess {
  @usableFromInline var inserted: InsertionSuccess

  /// The values that have been stored.
  public var persistenceContainer: PersistenceContainer {
    get { inserted.persistenceContainer }
    set { inserted.persistenceContainer = newValue }
  }

  @inlinable
  init(_ stored: StoredValues) {
    inserted = InsertionSuccess(rowID: 0, rowIDColumn: nil, stored: stored)
  }

  @inlinable
  init(_ inserted: InsertionSuccess) { self.inserted = inserted }
}

/// The values that were stored, or the record that has them.
///
/// Nobody asks for them most of the time: they are gathered when somebody does.
@usableFromInline
struct StoredValues {
  private enum Content {
    case values(PersistenceContainer)
    case record(any EncodableRecord)
  }

  private let content: Content
  /// To be told that records of the type are asked for their values.
  private let plan: RecordPlan?

  @usableFromInline
  init(_ container: PersistenceContainer, plan: RecordPlan? = nil) {
    content = .values(container)
    self.plan = plan
  }

  @usableFromInline
  init(_ record: any EncodableRecord, boundBy plan: RecordPlan) {
    content = .record(record)
    self.plan = plan
  }

  var container: PersistenceContainer {
    // Two encodings may differ, where one has a date or a random value in it: from now on, what
    // is stored is what is kept here.
    plan?.canBind = false
    switch content {
    case .values(let container): return container
    case .record(let record): return (try? PersistenceContainer(record)) ?? PersistenceContainer()
    }
  }
}
