import Foundation
import Testing

/// What CONTRIBUTING.md and the Makefile say of the tests.
@Suite struct ContributingTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent()  // CofferDocsTests
    .deletingLastPathComponent()  // Tests
    .deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test func `each step of CI has a budget, which CONTRIBUTING.md tells`() throws {
    let steps = try text(".ci/run").matches(of: /(?m)^ *step "([^"]+)"/).map { "\($0.output.1)" }
    let budgets = try text(".ci/budgets").split(separator: "\n").map { line in
      line.split(separator: "\t").map(String.init)
    }
    let rows = try text("CONTRIBUTING.md").matches(of: /(?m)^\| ([^|]+) \| ([0-9]+) \| [^|]+ \|$/)
      .map { ["\($0.output.1)", "\($0.output.2)"] }
    #expect(steps.count > 10)
    #expect(Set(steps) == Set(budgets.map { $0[0] }))
    #expect(budgets == rows)
  }

  @Test func `whatever takes a number of trials is in make trials or make faults`() throws {
    let makefile = try text("Makefile")
    let tests = Self.root.appendingPathComponent("Tests")
    let files = try #require(
      FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
    var suites: [String] = []
    for case let file as URL in files where file.lastPathComponent.hasSuffix("Tests.swift") {
      let source = try String(contentsOf: file, encoding: .utf8)
      guard source.contains("trialCount" + "(") else { continue }
      suites.append(file.deletingPathExtension().lastPathComponent)
    }
    #expect(suites.count > 10)
    for suite in suites { #expect(makefile.contains(suite), "\(suite)") }
  }
}
