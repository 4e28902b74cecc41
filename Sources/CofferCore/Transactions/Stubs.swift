package final class FunctionRegistry { init() {} }
extension Database {
  func changeKey(to key: DatabaseKey) throws {}
}
package struct PrefetchedRows {}
extension Row { var scopes: [(name: String, row: Row)] { [] } }
extension Row: Hashable {
  public static func == (l: Row, r: Row) -> Bool { l === r };
  public func hash(into h: inout Hasher) {}
}
extension DatabaseQueue { public func changeKey(to key: DatabaseKey) throws {} }
