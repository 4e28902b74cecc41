import Foundation
import Testing

struct FuzzTests {
  /// What failed once is in Tests/Fuzz/Regressions.
  @Test func `inputs that once failed pass, and some changed ones`() throws {
    let directory = try TemporaryDirectory()
    let test = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let program = test.deletingLastPathComponent().appendingPathComponent("CofferFuzz").path
    let run = Command.run(
      program,
      [
        "all", "--runs", "2000", "--seed", "\(SeededGenerator.seed)", "--failures",
        directory.path,
      ])
    #expect(run?.status == 0, "\(run?.output ?? "there is no program")")
  }
}
