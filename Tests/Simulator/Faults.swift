import CFaults
import Coffer
import CofferTestSupport
import Foundation

/// A call of SQLite that fails, and which.
struct Faults {
  /// The names of the kinds of calls, by number.
  static let kinds: [String] = (0..<100).compactMap { kind in
    coffer_faults_name(kind).map { String(cString: $0) }
  }

  let kind: Int

  var name: String { Faults.kinds[kind] }
  var isMemory: Bool { name == "memory" }
  /// Whether a commit that fails so can be there when the file is opened again.
  var leavesDoubt: Bool { !isMemory && !name.hasPrefix("lock") && name != "check-lock" }

  static func install() throws {
    // Coffer's own allocator would ask the failing one only for more than it reserves.
    setenv("COFFER_STOCK_MEMORY", "1", 1)
    try require(coffer_faults_install() == 0, "the faults can't be installed")
  }

  /// Lets calls of this thread fail while `body` runs.
  /// - Returns: How many have failed.
  func strike(from number: Int, lasts: Bool, _ body: () throws -> Void) rethrows -> Int {
    coffer_faults_arm_thread(CInt(kind), number, lasts ? 1 : 0)
    defer { coffer_faults_disarm() }
    try body()
    coffer_faults_disarm()
    return coffer_faults_failures()
  }

  /// Throws if an error isn't that of the fault.
  func judge(_ failure: any Error, tolerating tolerated: [ResultCode]) throws {
    try require(coffer_faults_failures() > 0, "an error without a fault: \(failure)")
    guard let error = failure as? DatabaseError else {
      throw Violation("a fault led to \(failure)")
    }
    try require(error.cipherDiagnosis == nil, "a fault got a diagnosis: \(error)")
    try require(
      error.isOfFault(isMemory: isMemory) || tolerated.contains(error.resultCode),
      "\(name) led to \(error.extendedResultCode.rawValue): \(error)")
  }
}
