import Testing

/// The entry point of builds without an index, which Scripts/test puts into Tests while it runs.
///
/// Without one, SwiftPM looks for tests of XCTest, of which there are none, in the compiler's index, so
/// that no test build can do without one. With one, `swift test` runs no other tests than those of
/// XCTest, unless it is told to; so the file isn't there for anyone else.
@main
struct AllTests {
  static func main() async {
    let arguments = CommandLine.arguments
    if let option = arguments.firstIndex(of: "--testing-library"),
      arguments.dropFirst(option + 1).first?.lowercased() == "swift-testing"
    {
      await Testing.__swiftPMEntryPoint() as Never
    }
    fatalError("Tests/XCTMain.swift is that of Scripts/test: remove it.")
  }
}
