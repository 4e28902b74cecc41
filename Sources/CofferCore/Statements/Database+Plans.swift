import CofferVault

/// The plans that record types have created for the tables of a connection.
///
/// - Invariant: All plans were created for the schema of `generation`.
@usableFromInline
struct ConnectionPlans {
  /// The plan that was requested last.
  private var latest: AnyObject?
  private var plans: [ObjectIdentifier: AnyObject] = [:]
  private var generation = 0

  /// Returns the plan of a class, if it was created for this generation of the schema.
  @inline(__always)
  fileprivate mutating func plan<Plan: AnyObject>(
    _ type: Plan.Type, generation current: Int
  ) -> Plan? {
    guard generation == current else {
      removeAll()
      generation = current
      return nil
    }
    if let latest, let plan = exactly(type, latest) { return plan }
    guard let plan = plans[ObjectIdentifier(type)] else { return nil }
    latest = plan
    return exactly(type, plan)
  }

  fileprivate mutating func add<Plan: AnyObject>(_ plan: Plan) {
    latest = plan
    plans[ObjectIdentifier(Plan.self)] = plan
  }

  fileprivate mutating func remove(_ type: any AnyObject.Type) {
    latest = nil
    plans[ObjectIdentifier(type)] = nil
  }

  mutating func removeAll() {
    latest = nil
    plans = [:]
  }
}

extension Database {
  /// Returns what a record type knows about its table, such as a prepared statement. Plans are
  /// dropped when the connection sees a change of the schema.
  ///
  /// A type identifies its plan by the plan's class, which is generic over the record type. A plan
  /// has to check by itself whether another connection has changed the schema (see
  /// ``Statement/reprepareCount``) and whether its statements are in use (see
  /// ``Statement/isActive``).
  ///
  /// - Parameter make: Called if no plan exists yet. It can request other plans.
  package func plan<Plan: AnyObject>(_ type: Plan.Type, make: () throws -> Plan) rethrows -> Plan {
    if let plan = plans.plan(type, generation: hooks.schemaGeneration) { return plan }
    let plan = try make()
    plans.add(plan)
    return plan
  }

  /// Drops an outdated plan.
  package func forgetPlan(_ type: any AnyObject.Type) { plans.remove(type) }

  /// Drops all plans.
  package func forgetPlans() { plans.removeAll() }

  /// Whether the regions that statements read are being recorded.
  package var isRecordingRegion: Bool { accessState.contains(.recordingRegion) }
}
