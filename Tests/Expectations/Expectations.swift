import Coffer
import Testing

/// The error of the database that `body` throws.
package func databaseError<T>(
  _ body: () throws -> T, sourceLocation: SourceLocation = #_sourceLocation
) -> DatabaseError? {
  do {
    _ = try body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let error as DatabaseError {
    return error
  } catch { Issue.record("\(error) was thrown", sourceLocation: sourceLocation) }
  return nil
}

/// Expects that `body` throws an error of SQLite with this code, primary or extended.
package func expectFailure<T>(
  _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
) {
  let error = databaseError(body, sourceLocation: sourceLocation)
  #expect(
    error?.resultCode == code || error?.extendedResultCode == code, "\(error as Any)",
    sourceLocation: sourceLocation)
}

/// Expects that `body` throws an error of SQLite with this code, primary or extended.
package func expectFailure<T>(
  _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> T
) async {
  do {
    _ = try await body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch {
    let failure = error as? DatabaseError
    #expect(
      failure?.resultCode == code || failure?.extendedResultCode == code, "\(error)",
      sourceLocation: sourceLocation)
  }
}

/// The error of tests that throw one, and only compare it.
package struct TestError: Error, Equatable {
  package var reason: String

  package init(reason: String = "") { self.reason = reason }
}

/// A query that ends only by an interruption.
package let endlessSQL = """
  WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c
  """

extension Row {
  package var values: [DatabaseValue] { Array(databaseValues) }
}

package func values(_ values: (any DatabaseValueConvertible)?...) -> [DatabaseValue] {
  values.map { $0?.databaseValue ?? .null }
}
