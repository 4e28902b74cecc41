extension Database {
  func changeKey(to key: DatabaseKey) throws {}
}
extension DatabaseQueue { public func changeKey(to key: DatabaseKey) throws {} }
