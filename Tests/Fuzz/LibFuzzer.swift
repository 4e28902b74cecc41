#if COFFER_LIBFUZZER
  import Foundation
  import Glibc

  /// The toolchain's libFuzzer, which mutates inputs by the code that they reach.
  enum LibFuzzer {
    // SAFETY: set once, before libFuzzer calls the function below on the same thread.
    private nonisolated(unsafe) static var target: (any FuzzTarget)?

    /// Runs until libFuzzer ends.
    ///
    /// - Parameter arguments: The target's name, and libFuzzer's options.
    static func run(_ arguments: [String]) throws -> CInt {
      guard let type = targets.first(where: { $0.name == arguments.first }) else {
        throw Finding("no such target")
      }
      let made = try type.init(ScratchFolder())
      target = made
      let corpus = try ScratchFolder()
      for (index, seed) in made.seeds.enumerated() { try corpus.write("seed-\(index)", seed) }
      for (index, old) in TestFiles.regressions(type.name).enumerated() {
        try corpus.write("regression-\(index)", old.bytes)
      }
      if !made.words.isEmpty {
        try corpus.write("words", Array(dictionary(made.words).utf8))
      }
      var options = ["CofferFuzz", "-max_len=\(type.largestInput)", "-timeout=10"]
      options.append("-rss_limit_mb=2048")
      if !made.words.isEmpty { options.append("-dict=\(corpus.path("words"))") }
      options += arguments.dropFirst()
      if !options.contains(where: { !$0.hasPrefix("-") && $0 != "CofferFuzz" }) {
        options.append(corpus.path)
      }
      var count = CInt(options.count)
      let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
        capacity: options.count + 1)
      for (index, option) in options.enumerated() { list[index] = strdup(option) }
      list[options.count] = nil
      var vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = list
      let code = runDriver(&count, &vector) { bytes, count in
        LibFuzzer.attempt(UnsafeBufferPointer(start: bytes, count: count))
        return 0
      }
      withExtendedLifetime(corpus) {}
      return code
    }

    private static func attempt(_ input: UnsafeBufferPointer<UInt8>) {
      do { _ = try target?.run(Array(input)) } catch {
        say("\(error)")
        abort()
      }
    }

    /// The words in the form of a dictionary: quoted, each on a line.
    private static func dictionary(_ words: [String]) -> String {
      words.map { word in
        let letters = word.utf8.map { byte in
          let hex = String(byte, radix: 16)
          return "\\x" + (hex.count < 2 ? "0" : "") + hex
        }
        return "\"\(letters.joined())\"\n"
      }.joined()
    }
  }

  // libFuzzer's entry for programs with a `main` of their own. Its arguments are pointers and a
  // function, which Swift passes as C does.
  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> CInt
#endif
