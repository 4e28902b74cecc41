/// The reason why an array can't be bound to a parameter, for the developer; it contains no value.
package struct ArrayArgumentError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// The parameter is not an element of an `IN` list.
    case outsideOfList
    /// The list is compared with a row value, as in `(a, b) IN (?)`.
    case rowValue
    /// Another element of the list aggregates the rows of the query.
    case aggregateInList
    /// The list has more elements than SQLite allows terms in a compound `SELECT`.
    case tooManyElements
  }

  package let reason: Reason

  /// The parameter's 1-based index in SQLite.
  let parameterIndex: Int

  /// The parameter's range in the SQL, in UTF-8 bytes.
  package let range: Range<Int>

  package let message: String

  package var description: String { message }

  package init(_ reason: Reason, parameter: ArrayArgumentRewriter.Parameter) {
    let name = Self.label(of: parameter)
    let spelling = parameter.name ?? "?"
    self.reason = reason
    self.parameterIndex = parameter.index
    self.range = parameter.range
    switch reason {
    case .outsideOfList:
      message = """
        \(name) is an array, but stands where SQL takes a single value. \
        Write IN (\(spelling)), or pass a single value.
        """
    case .rowValue:
      message = """
        \(name) is an array, but stands in an IN list that is compared with a row value, \
        such as (a, b) IN (\(spelling)). Arrays are compared with single values only: \
        write (a, b) IN (VALUES (?, ?), …) with a parameter for each value.
        """
    case .tooManyElements:
      message = """
        \(name) is an array, in an IN list of more than \
        \(ArrayArgumentRewriter.maximumElementCount) elements. Put the other elements into the \
        array, or write them apart: x IN (\(spelling)) OR x IN (…).
        """
    case .aggregateInList:
      message = """
        \(name) is an array, and another element of its IN list is an aggregate or a window \
        function. Write them apart: x IN (\(spelling)) OR x IN (…).
        """
    }
  }

  private static func label(of parameter: ArrayArgumentRewriter.Parameter) -> String {
    guard let name = parameter.name, !name.hasPrefix("?") else {
      return "\(parameter.name ?? "?") (the \(ordinal(parameter.index)) argument)"
    }
    return name
  }

  private static func ordinal(_ number: Int) -> String {
    switch (number % 10, number % 100) {
    case (_, 11...13): "\(number)th"
    case (1, _): "\(number)st"
    case (2, _): "\(number)nd"
    case (3, _): "\(number)rd"
    default: "\(number)th"
    }
  }
}
