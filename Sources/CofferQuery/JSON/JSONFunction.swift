import CofferCore

/// Builds calls of JSON functions.
enum JSONFunction {
  /// The features of SQLite that a call requires.
  enum Need: Sendable {
    case json, jsonb, errorPosition, validationOptions

    @Sendable func require(_ features: SQLiteFeatures) throws {
      switch self {
      case .json:
        try features.require(features.hasJSON, "JSON", "3.38.0")
      case .jsonb:
        try features.require(features.hasJSONB, "JSONB", "3.45.0")
      case .errorPosition:
        try features.require(features.hasJSONErrorPosition, "JSON_ERROR_POSITION", "3.42.0")
      case .validationOptions:
        try features.require(features.hasJSONB, "JSON_VALID with options", "3.45.0")
      }
    }
  }

  /// Returns a call of a function.
  static func call(
    _ name: String, _ arguments: [SQLExpression], needs need: Need = .json
  ) -> SQLExpression {
    SQLExpression(.requiring(SQLExpression(.function(name, arguments)), need.require))
  }

  /// Returns an expression with an operator, given with its spaces.
  static func operation(
    _ symbol: String, _ lhs: SQLExpression, _ rhs: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.requiring(SQLExpression(.binary(symbol, lhs, rhs)), Need.json.require))
  }

  /// Returns a call of an aggregate.
  static func aggregate(
    _ name: String, _ arguments: [SQLExpression], orderBy ordering: (any SQLOrderingTerm)? = nil,
    filter: (any SQLSpecificExpressible)?, needs need: Need = .json
  ) -> SQLExpression {
    // Required by the argument, so that a window still finds an aggregate node.
    var arguments = arguments
    arguments[0] = SQLExpression(.requiring(arguments[0], need.require))
    var aggregate = Aggregate(name, arguments)
    aggregate.ordering = ordering.map { [$0.sqlOrdering] } ?? []
    aggregate.filter = filter?.sqlExpression
    return SQLExpression(.aggregate(aggregate))
  }

  /// Returns an argument for a function that builds JSON.
  ///
  /// A value that is declared as JSON is parsed first, unless SQLite knows that it is JSON.
  static func element(_ value: any SQLExpressible) -> SQLExpression {
    let expression = value.sqlExpression
    guard value is any SQLJSONExpressible, !expression.isNull, !expression.givesJSON else {
      return expression
    }
    return SQLiteFeatures.linked.hasJSONB
      ? call("JSONB", [expression], needs: .jsonb) : call("JSON", [expression])
  }

  /// Returns the keys and values as a flat list of arguments.
  static func elements(
    _ pairs: some Collection<(key: String, value: any SQLExpressible)>
  ) -> [SQLExpression] {
    pairs.flatMap { [$0.key.sqlExpression, element($0.value)] }
  }
}

extension SQLExpression {
  /// Whether SQLite knows that the value is JSON.
  fileprivate var givesJSON: Bool {
    switch expressionNode {
    case .requiring(let expression, _), .aliased(let expression, _): expression.givesJSON
    case .binary(let symbol, _, _): symbol == " -> "
    case .function(let name, _): JSONFunction.namesOfBuilders.contains(name)
    case .aggregate(let aggregate): JSONFunction.namesOfBuilders.contains(aggregate.name)
    default: false
    }
  }
}

extension JSONFunction {
  fileprivate static let namesOfBuilders: Set<String> = Set(
    [
      "", "_ARRAY", "_OBJECT", "_INSERT", "_REPLACE", "_SET", "_PATCH", "_REMOVE", "_QUOTE",
      "_GROUP_ARRAY", "_GROUP_OBJECT",
    ].flatMap { ["JSON" + $0, "JSONB" + $0] })
}
