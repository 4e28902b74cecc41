import CofferTestSupport
import Foundation
import Testing

struct FuzzTests {
  /// What failed once is in Tests/Fuzz/Regressions.
  @Test func `inputs that once failed pass, and some changed ones`() throws {
    let directory = try TemporaryDirectory()
    let run = Command.run(
      TestProcess.program("CofferFuzz").path,
      [
        "all", "--runs", "2000", "--seed", "\(SeededGenerator.seed)", "--failures",
        directory.path,
      ])
    let inputs = try FileManager.default.contentsOfDirectory(atPath: directory.path).map { name in
      let url = URL(fileURLWithPath: directory.path).appendingPathComponent(name)
      return "\(name) in Base64: \(try Data(contentsOf: url).base64EncodedString())"
    }
    #expect(
      run?.status == 0,
      "\(run?.output ?? "there is no program") \(inputs.joined(separator: "\n"))")
  }
}
