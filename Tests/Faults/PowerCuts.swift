import CofferTestSupport

/// How many trials there were, and what failed.
struct Trials {
  var count = 0
  var failures: [String] = []
}

/// Cuts the power of scenarios.
enum PowerCuts {
  static func run(_ scenario: Scenario, _ options: Options) throws -> Trials {
    let (start, events) = try Files.withFolder { path in
      let folder = Folder(path: path)
      try scenario.prepare(folder)
      return try Disk.recording(path) { try scenario.run(folder) }
    }
    var disk = start
    var marks = Marks()
    var trials = Trials()
    for (position, event) in events.enumerated() {
      disk.apply(event)
      marks.take(event)
      guard position % options.every == 0 || position == events.count - 1 else { continue }
      let cuts = [Disk.Cut.drops, .keeps] + Array(repeating: .tears, count: options.tears)
      for (number, cut) in cuts.enumerated() {
        var random = SeededGenerator(
          state: options.seed &+ UInt64(position) &* 1000 &+ UInt64(number))
        trials.count += 1
        do {
          try Files.withFolder(disk.image(cut, using: &random)) { path in
            try scenario.check(Folder(path: path), marks)
          }
        } catch {
          trials.failures.append(
            "record \(position) of \(events.count), trial \(number) (\(cut)), after \(marks): "
              + "\(error)")
        }
      }
    }
    return trials
  }
}
