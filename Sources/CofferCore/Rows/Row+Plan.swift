extension Row {
  /// Returns what a record type knows about the row's columns: the same object for all rows of a
  /// cursor, and for all cursors of a statement whose rows no adapter changes.
  ///
  /// A type identifies its plan by the plan's class, which is generic over the record type.
  @inlinable
  package func plan<Plan: AnyObject>(_ type: Plan.Type, make: () throws -> Plan) rethrows -> Plan {
    if let plan, let known = exactly(type, plan) { return known }
    return try findPlan(type, make: make)
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
