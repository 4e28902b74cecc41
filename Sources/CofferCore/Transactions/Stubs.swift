public struct DatabaseRegion: Sendable { }
package struct StatementFacts: Sendable {
  package var region = DatabaseRegion()
  package var invalidatesSchemaCache = false
  package var transactionEffect: Int?
  package var isWorthCaching: Bool { !invalidatesSchemaCache && transactionEffect == nil }
}
package final class TransactionObservation {
  init(database: Database) {}
  func install() {}
  func willExecute(_ s: Statement) throws {}
  func didExecute(_ s: Statement) throws {}
  func didFail(_ s: Statement, with error: DatabaseError) -> any Error { error }
  func didEndTransaction() {}
  func commitDidFail(with error: DatabaseError) -> any Error { error }
}
package final class FunctionRegistry { init() {} }
package struct TransactionInstant {}
extension Database {
  func installAuthorizer() throws {}
  func recordingFacts<T>(_ body: () throws -> T) throws -> (T, StatementFacts) { (try body(), StatementFacts()) }
  func setUpBusyMode() {}
  public enum BusyMode: Sendable { case immediateError, timeout(Double), callback(@Sendable (Int) -> Bool) }
}
public protocol TransactionClock: Sendable {}
public struct DefaultTransactionClock: TransactionClock { }
extension TransactionClock where Self == DefaultTransactionClock { public static var `default`: Self { .init() } }
package struct PrefetchedRows {}
extension Row { var scopes: [(name: String, row: Row)] { [] } }
extension Row: Hashable { public static func == (l: Row, r: Row) -> Bool { l === r }; public func hash(into h: inout Hasher) {} }
