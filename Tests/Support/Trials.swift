import Foundation

/// The number of trials of a test that tries something random: `COFFER_TRIALS`, or fewer by
/// default, which take a moment. `make trials` runs all that ask for it with large numbers.
package func trialCount(_ usual: Int) -> Int { chosenTrialCount ?? usual }

/// `COFFER_TRIALS`, where it is set.
package let chosenTrialCount =
  ProcessInfo.processInfo.environment["COFFER_TRIALS"].flatMap { Int($0) }
