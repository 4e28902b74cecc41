/// One import for the whole store.
@_exported import CofferCore
@_exported import CofferDocuments
@_exported import CofferObservation
@_exported import CofferQuery
@_exported import CofferRecords
