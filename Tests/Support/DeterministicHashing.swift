import Glibc

/// Starts this program again, once, so that hashes and the order of sets are the same in each run:
/// a seed then gives the same numbers to all that depends on them.
package func restartWithDeterministicHashing() {
  let name = "SWIFT_DETERMINISTIC_HASHING"
  guard getenv(name) == nil else { return }
  setenv(name, "1", 1)
  var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
  arguments.append(nil)
  execv("/proc/self/exe", arguments)
}
