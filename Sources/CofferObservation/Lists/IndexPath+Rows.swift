import FoundationEssentials

/// The names that list views use for the two numbers of an index path.
extension IndexPath {
  /// Creates the index path of a row in a section.
  ///
  /// ```swift
  /// let player = controller.record(at: IndexPath(row: 3, section: 0))
  /// ```
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

  /// Creates the index path of an item in a section: the same as ``init(row:section:)``.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The section.
  ///
  /// Traps if the path has less than two numbers.
  public var section: Int {
    get { number(0) }
    set { set(newValue, at: 0) }
  }

  /// The row in its section.
  ///
  /// Traps if the path has less than two numbers.
  public var row: Int {
    get { number(1) }
    set { set(newValue, at: 1) }
  }

  /// The item in its section: the same as ``row``.
  public var item: Int {
    get { row }
    set { row = newValue }
  }

  private func number(_ position: Int) -> Int {
    checkCount()
    return self[position]
  }

  private mutating func set(_ number: Int, at position: Int) {
    checkCount()
    self[position] = number
  }

  private func checkCount() {
    precondition(count >= 2, "an index path of a list view has a section and a row")
  }
}
