/// What record types have found out about the tables of a connection.
///
/// - Invariant: What is kept was made for the schema of `generation`.
@usableFromInline
package struct ConnectionPlans {
  /// The plan that was asked for last.
  private var latest: AnyObject?
  private var plans: [ObjectIdentifier: AnyObject] = [:]
  private var generation = 0

  /// The plan of a class, if it has been made for the schema that is counted so.
  fileprivate mutating func plan<Plan: AnyObject>(
    _ type: Plan.Type, generation current: Int
  ) -> Plan? {
    guard generation == current else {
      removeAll()
      generation = current
      return nil
    }
    // SAFETY: both casts are to the object's very class.
    if let latest, Swift.type(of: latest) == Plan.self {
      return unsafeDowncast(latest, to: Plan.self)
    }
    guard let plan = plans[ObjectIdentifier(type)] else { return nil }
    latest = plan
    return unsafeDowncast(plan, to: Plan.self)
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
  /// What a type has found out about its table, kept as long as the connection knows of no
  /// change of the schema: a statement that is ready, say.
  ///
  /// Types know their plans by the plan's class, one that is generic over the record type. A plan
  /// has to notice by itself what other connections change (see ``Statement/reprepareCount``),
  /// and whether its statements are in use (see ``Statement/isActive``).
  ///
  /// - Parameter make: Called where there is no plan yet. It may ask for other plans.
  package func plan<Plan: AnyObject>(_ type: Plan.Type, make: () throws -> Plan) rethrows -> Plan {
    if let plan = plans.plan(type, generation: hooks.schemaGeneration) { return plan }
    let plan = try make()
    plans.add(plan)
    return plan
  }

  /// Drops the plan of a class, which is outdated.
  package func forgetPlan(_ type: any AnyObject.Type) { plans.remove(type) }

  /// Drops all plans.
  package func forgetPlans() { plans.removeAll() }

  /// Whether the regions that statements read are gathered.
  package var isRecordingRegion: Bool { accessState.contains(.recordingRegion) }
}
