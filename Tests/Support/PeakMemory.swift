import Foundation
import Glibc

/// The most memory that this program has used, in bytes.
///
/// What `getrusage` tells begins with what the process used that started it. It serves where the
/// kernel tells nothing else.
package func peakMemory() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  if let kilobytes = Int(line?.filter(\.isWholeNumber) ?? "") { return kilobytes * 1024 }
  var usage = rusage()
  getrusage(RUSAGE_SELF.rawValue, &usage)
  return usage.ru_maxrss * 1024
}
