import Foundation
import Synchronization

/// Tells the seed of a crash, or of a step that doesn't end.
enum Progress {
  private static let seed = Atomic<UInt64>(0)
  private static let step = Atomic<Int>(0)
  /// The seconds that a step may take.
  private static let limit: UInt32 = 120

  /// Notes what runs from now on.
  static func note(seed: UInt64, step: Int) {
    self.seed.store(seed, ordering: .relaxed)
    self.step.store(step, ordering: .relaxed)
    alarm(limit)
  }

  static func end() { alarm(0) }

  /// Writes to standard error without memory, which a crash may have damaged.
  private static func write(_ text: StaticString) {
    _ = Foundation.write(2, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static func write(_ number: UInt64) {
    var divisor: UInt64 = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      var digit = UInt8(ascii: "0") + UInt8(number / divisor % 10)
      _ = Foundation.write(2, &digit, 1)
      divisor /= 10
    }
  }

  static func install() {
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGALRM] {
      Foundation.signal(signal) { signal in
        Foundation.signal(signal, SIG_DFL)
        Progress.write(signal == SIGALRM ? "\nFAILED: hangs in seed " : "\nFAILED: crash in seed ")
        Progress.write(Progress.seed.load(ordering: .relaxed))
        Progress.write(", step ")
        Progress.write(UInt64(Progress.step.load(ordering: .relaxed)))
        Progress.write("\n  replay: CofferSimulator --verbose --seed ")
        Progress.write(Progress.seed.load(ordering: .relaxed))
        Progress.write("\n")
        raise(signal)
      }
    }
  }
}
