import CofferTestSupport
import Foundation
import Testing

/// What Tests/Child/FaultScenarios.swift does, while calls of SQLite's memory and files fail.
///
/// After each fault: no crash, an error with the code of the fault, the state before or after, no
/// open transaction, a database that the same connection can use, and a file that passes all
/// checks.
@Suite struct FaultTests {
  /// The names of the scenarios, as the child lists them.
  static let scenarios: [String] = {
    let run = try? TestProcess.run(["fault-scenarios"])
    return run?.status == 0 ? run?.lines ?? [] : []
  }()

  @Test func `there are scenarios`() {
    #expect(Self.scenarios.contains("open"))
  }

  @Test(arguments: scenarios)
  func `exhausted memory is SQLITE_NOMEM, and changes nothing`(scenario: String) throws {
    // Each allocation of an opening: one of them crashed in SQLCipher 3.
    let isOpening = scenario == "open"
    try run(
      scenario, "memory", trialCount(isOpening ? 2_000 : 2),
      isOpening && chosenTrialCount == nil ? "either" : "both")
  }

  @Test(arguments: scenarios)
  func `a failing file is told as such, and loses nothing`(scenario: String) throws {
    try run(scenario, "files", trialCount(1), chosenTrialCount == nil ? "either" : "both")
  }

  /// SQLite begins its log again before it truncates the file, and tells an error if it can't.
  @Test func `a log that can't be truncated isn't taken for a replaced file`() throws {
    try run("freshness", "truncate", 1_000)
  }

  /// A call that fails for ever must not be repeated for ever. And a session that could not record
  /// its commits has to leave the log as it is, or the next opening takes the file for a replaced
  /// one.
  @Test(arguments: [("stat", "7"), ("open: EMFILE", "5")])
  func `freshness survives files that can't be examined or opened`(
    calls: String, every: String
  ) {
    let options = [
      "--signal", "KILL", "600", TestProcess.program("CofferFaults").path, "--mode", "calls",
      "--calls", calls, "--scenario", "commits with freshness", "--every", every,
    ]
    let run = Command.run("/usr/bin/timeout", options)
    #expect(run?.status == 0, "\(run?.output ?? "there is no program")")
  }

  private func run(
    _ scenario: String, _ kind: String, _ count: Int, _ ways: String = "both"
  ) throws {
    let directory = try TemporaryDirectory()
    let (status, lines, error) = try TestProcess.run([
      "faults", directory.path, scenario, kind, ways, "\(count)",
    ])
    let last = lines.last { $0.hasPrefix("at ") } ?? "the beginning"
    #expect(status == 0, "the process ended \(last): \(error.prefix(2000))")
    for failure in lines.filter({ $0.hasPrefix("failed") }).prefix(5) {
      Issue.record("\(scenario) \(failure)")
    }
    if let result = lines.last, result.hasPrefix("tried") {
      print("\(scenario), \(kind): \(result)")
    }
    withExtendedLifetime(directory) {}
  }
}
