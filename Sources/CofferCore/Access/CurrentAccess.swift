/// A reader that tells which of its connections this thread is using.
package protocol CurrentAccess: DatabaseReader {
  /// The connection of the access that is under way on this thread; nil where there is none.
  ///
  /// Of a pool, it is the one that writes, if the thread has that, or else the reader that it was
  /// lent.
  var currentDatabase: Database? { get }
}

extension DatabaseQueue: CurrentAccess {
  package var currentDatabase: Database? { access.current }
}

extension DatabasePool: CurrentAccess {
  package var currentDatabase: Database? { writer.current ?? readers.current?.current }
}

extension AnyDatabaseWriter: CurrentAccess {
  package var currentDatabase: Database? { (base as? any CurrentAccess)?.currentDatabase }
}
