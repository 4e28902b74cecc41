import CofferCore
import CofferQuery
import FoundationEssentials

/// The properties of documents in closures: `$0.name`.
@dynamicMemberLookup
public enum DocumentColumns<Document: Codable> {
  /// Returns the column of a property.
  public static subscript<Value>(
    dynamicMember keyPath: KeyPath<Document, Value>
  ) -> DocumentExpression<Document, Value> {
    DocumentExpression(keyPath, [keyPath])
  }

  /// Returns the column of an optional property, for `$0.address?.city`.
  @_disfavoredOverload
  public static subscript<Wrapped>(
    dynamicMember keyPath: KeyPath<Document, Wrapped?>
  ) -> DocumentExpression<Document, Wrapped?>? {
    DocumentExpression(keyPath, [keyPath])
  }
}

/// A property of documents, or of a struct stored in one, in closures.
///
/// It has all operators of typed columns. If its path leads to no stored property, the query throws
/// when it is executed.
@dynamicMemberLookup
public struct DocumentExpression<Document: Codable, Value>: SQLTypedExpressible {
  /// The Swift type of the values.
  public typealias SQLValue = Value

  private let keyPath: KeyPath<Document, Value>
  /// The dictionary that has it as a value, and its key, which a key path doesn't reveal.
  private var key: (dictionary: PartialKeyPath<Document>, name: String)?
  /// The key paths that make up its path; for a dictionary's value, the dictionary's path.
  private let segments: [AnyKeyPath]

  init(_ keyPath: KeyPath<Document, Value>, _ segments: [AnyKeyPath]) {
    self.keyPath = keyPath
    self.segments = segments
  }

  /// Returns the value of a dictionary's key.
  func element<Element>(
    _ key: String, _ path: KeyPath<Value, Element>
  ) -> DocumentExpression<Document, Element> {
    var element = DocumentExpression<Document, Element>(
      keyPath.appending(path: path), segments)
    element.key = (keyPath, key)
    return element
  }

  /// Returns a property of the property.
  public subscript<Nested>(
    dynamicMember keyPath: KeyPath<Value, Nested>
  ) -> DocumentExpression<Document, Nested> {
    DocumentExpression<Document, Nested>(
      self.keyPath.appending(path: keyPath), segments + [keyPath])
  }

  /// Returns an optional property of the property, for `$0.address.place?.city`.
  @_disfavoredOverload
  public subscript<Nested>(
    dynamicMember keyPath: KeyPath<Value, Nested?>
  ) -> DocumentExpression<Document, Nested?>? {
    DocumentExpression<Document, Nested?>(
      self.keyPath.appending(path: keyPath), segments + [keyPath])
  }

  /// Returns an optional property of an optional property, for `$0.address?.place?.city`.
  @_disfavoredOverload
  public subscript<Wrapped, Nested>(
    dynamicMember keyPath: KeyPath<Wrapped, Nested?>
  ) -> DocumentExpression<Document, Nested?>? where Value == Wrapped? {
    DocumentExpression<Document, Nested?>(
      self.keyPath.appending(path: \Wrapped?.[memberAt: keyPath]), segments + [keyPath])
  }

  /// Returns a property of an optional property, which is nil if that one is nil, for
  /// `$0.address?.city` and `$0.address.city`.
  public subscript<Wrapped, Nested>(
    dynamicMember keyPath: KeyPath<Wrapped, Nested>
  ) -> DocumentExpression<Document, Nested?> where Value == Wrapped? {
    DocumentExpression<Document, Nested?>(
      self.keyPath.appending(path: \Wrapped?.[memberAt: keyPath]), segments + [keyPath])
  }

  /// Returns an optional property of an optional property: nil if one of them is nil.
  public subscript<Wrapped, Nested>(
    dynamicMember keyPath: KeyPath<Wrapped, Nested?>
  ) -> DocumentExpression<Document, Nested?> where Value == Wrapped? {
    DocumentExpression<Document, Nested?>(
      self.keyPath.appending(path: \Wrapped?.[memberAt: keyPath]), segments + [keyPath])
  }

  /// Returns an expression of the column's SQL; it throws when it is executed if there is no such
  /// column, or if its values have another form in JSON.
  func withColumn(
    _ make: (DocumentColumn, SQLExpression) -> SQLExpression
  ) -> SQLExpression {
    deferringErrors { column in
      let column = try requireSameForm(column)
      return make(column, DocumentExpression.expression(of: column))
    }
  }

  /// Returns an expression of the column; an error is thrown when it is executed.
  func deferringErrors(_ make: (DocumentColumn) throws -> SQLExpression) -> SQLExpression {
    do { return try make(column()) } catch {
      return SQLExpression(sql: SQL(elements: [.deferred { _ in throw error }]))
    }
  }

  /// The column with the collation of the property.
  public var sqlExpression: SQLExpression { withColumn { $1 } }

  /// The form in which documents store the values: dates have all their digits, and some numbers
  /// have others in JSON.
  public var _form: _ColumnForm? {
    if Self.hasOtherDigitsInJSON, let column = try? column(), column.isNested {
      return _ColumnForm { value in
        (value as? any Encodable).flatMap { try? DocumentValue.databaseValue(of: $0, in: column) }
      }
    }
    return _ColumnForm(StoredDocument<Document>.self, "", of: Value.self)
  }

  private func requireSameForm(_ column: DocumentColumn) throws -> DocumentColumn {
    guard column.path.isEmpty || !Self.differsInJSON else {
      throw DocumentError(
        "\(Value.self) inside \(column.name) is stored in another form than in a column",
        hint: "Use filter(\\.path, equalTo:) and similar methods, which support both forms.")
    }
    return column
  }

  private func column() throws -> DocumentColumn {
    guard let key else {
      return try DocumentType<Document>.known().column(keyPath, segments: segments)
    }
    let column = try DocumentType<Document>.known().column(key.dictionary, segments: segments)
    let element = DocumentColumn(
      name: column.name, path: column.path + [PathStep.step(key.name)], holding: [Value.self])
    guard element.isInList == column.isInList else {
      throw DocumentError("\(column.description) can't be subscripted with a key")
    }
    return element
  }

  private static func expression(of column: DocumentColumn) -> SQLExpression {
    let sql = column.expression(collation: column.comparing)
    guard let collation = column.comparing, !collation.isStandard else {
      return SQLExpression(sql: SQL(sql: sql))
    }
    return SQLExpression(
      sql: SQL(
        elements: [
          .deferred { db in
            collation.ensure(in: db)
            return SQL(sql: sql)
          }
        ]))
  }

  /// Returns the condition that the property is one of some values, in the form in which the
  /// property stores them.
  fileprivate func isContained(in values: [some Codable]) -> TypedPredicate {
    TypedPredicate(
      deferringErrors { column in
        try values.map { try DocumentValue.operand(of: $0, in: column) }
          .contains(DocumentExpression.expression(of: column))
      })
  }

  /// Whether values have another form in JSON than in columns.
  private static var differsInJSON: Bool {
    [Date.self, UUID.self, Data.self, Date?.self, UUID?.self, Data?.self]
      .contains { $0 == Value.self }
  }

  /// Whether numbers in JSON can become other database values than in columns.
  private static var hasOtherDigitsInJSON: Bool {
    [
      Float.self, UInt64.self, UInt.self, Decimal.self, Float?.self, UInt64?.self, UInt?.self,
      Decimal?.self,
    ]
    .contains { $0 == Value.self }
  }
}

extension DocumentExpression: SQLTypedCondition
where Value: DatabaseValueConvertible, Value._Base == Bool {}

extension Optional {
  fileprivate subscript<Member>(memberAt keyPath: KeyPath<Wrapped, Member>) -> Member? {
    self?[keyPath: keyPath]
  }

  fileprivate subscript<Member>(memberAt keyPath: KeyPath<Wrapped, Member?>) -> Member? {
    self?[keyPath: keyPath]
  }
}

// MARK: - NaN

extension DocumentExpression
where Value: DatabaseValueConvertible, Value._Base: BinaryFloatingPoint {
  /// `lhs = rhs`; nothing is equal to NaN.
  public static func == (lhs: Self, rhs: Value._Base) -> TypedPredicate {
    lhs.equality(.equal, rhs)
  }

  /// `lhs <> rhs`; nothing is equal to NaN.
  public static func != (lhs: Self, rhs: Value._Base) -> TypedPredicate {
    lhs.equality(.notEqual, rhs)
  }

  private func equality(_ comparison: Comparison, _ number: Value._Base) -> TypedPredicate {
    guard number.isNaN else {
      return TypedPredicate(
        withColumn { SQLExpression(.comparison(comparison, $1, operand(number))) })
    }
    return TypedPredicate(SQLExpression((comparison == .notEqual).databaseValue))
  }
}

// MARK: - Replacing nil

extension DocumentExpression {
  /// `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped: DatabaseValueConvertible>(
    lhs: Self, rhs: Wrapped
  ) -> TypedExpression<Wrapped> where Value == Wrapped? {
    ifNull(lhs, lhs.operand(rhs))
  }

  /// `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped>(
    lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
  ) -> TypedExpression<Wrapped> where Value == Wrapped? {
    ifNull(lhs, rhs)
  }

  /// `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped>(
    lhs: Self, rhs: some SQLTypedExpressible<Wrapped?>
  ) -> TypedExpression<Wrapped?> where Value == Wrapped? {
    ifNull(lhs, rhs)
  }
}

// MARK: - Values of all stored types

// Enums, structs and lists, with which the columns of records can't be compared.

extension DocumentExpression where Value: Codable {
  /// `lhs = rhs`; `IS NULL` where the value is nil.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: Value) -> TypedPredicate {
    lhs.comparison(.equal, rhs)
  }

  /// `lhs <> rhs`; `IS NOT NULL` where the value is nil.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: Value) -> TypedPredicate {
    lhs.comparison(.notEqual, rhs)
  }

  /// Returns the comparison with a value in the form in which the property stores it.
  private func comparison(_ comparison: Comparison, _ value: Value) -> TypedPredicate {
    TypedPredicate(
      deferringErrors { column in
        let value = SQLExpression(try DocumentValue.operand(of: value, in: column))
        return comparing(comparison, DocumentExpression.expression(of: column), value)
      })
  }
}

extension Sequence where Element: Codable {
  /// `property IN (…)`: whether the list contains the value.
  @_disfavoredOverload
  public func contains<Document>(_ property: DocumentExpression<Document, Element>)
    -> TypedPredicate
  {
    property.isContained(in: Array(self))
  }

  /// `property IN (…)`: whether the list contains the value; no list contains nil.
  @_disfavoredOverload
  public func contains<Document>(_ property: DocumentExpression<Document, Element?>)
    -> TypedPredicate
  {
    property.isContained(in: Array(self))
  }
}
