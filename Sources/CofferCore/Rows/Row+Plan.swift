import CofferVault

extension Row {
  /// Returns a record type's cached findings about the row's columns, made by `make` at first.
  ///
  /// All rows of a cursor share the object; so do all cursors of a statement without an adapter.
  /// Plans are looked up by their class, which can be generic over the record type.
  @inlinable
  package func plan<Plan: AnyObject>(_ type: Plan.Type, make: () throws -> Plan) rethrows -> Plan {
    if let known = knownPlan(type) { return known }
    return try findPlan(type, make: make)
  }

  /// Returns the plan that the last record of a type has used; nil if there is none.
  @inlinable @inline(__always)
  package func knownPlan<Plan: AnyObject>(_ type: Plan.Type) -> Plan? {
    plan.flatMap { exactly(type, $0) }
  }

  @usableFromInline
  package func findPlan<Plan: AnyObject>(
    _ type: Plan.Type, make: () throws -> Plan
  ) rethrows -> Plan {
    let statement = adaptation == nil ? statement : nil
    for other in statement?.plans ?? [] {
      guard let known = exactly(type, other) else { continue }
      plan = known
      return known
    }
    let made = try make()
    plan = made
    statement?.plans.append(made)
    return made
  }
}
