import Coffer

extension Scenario {
  /// Commits with freshness: what a power cut leaves is no replaced file.
  static let freshness = Scenario(
    name: "commits with freshness",
    prepare: { folder in
      let queue = try open(folder)
      try queue.write { try Content.create($0) }
      try queue.close()
    },
    run: { folder in
      for round in 0..<2 {
        let queue = try open(folder)
        for number in (round * 5 + 1)...(round * 5 + 5) {
          try step(number) { try queue.write { try Content.add(number, to: $0) } }
          guard number % 3 == 0 else { continue }
          try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        }
        try queue.close()
      }
    },
    check: { folder, marks in
      let queue = try open(folder)
      let found = try queue.checkedStep()
      try queue.close()
      try require((0...marks.begun).contains(found), "the database is at step \(found)")
    })

  private static func open(_ folder: Folder) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.key = key(1)
    var freshness = Freshness(anchor: FileAnchor(path: folder.file("anchor")))
    freshness.minimumInterval = .zero
    configuration.freshness = freshness
    configuration.checkpointPolicy = CheckpointPolicy(
      automaticPageCount: 20, maximumPageCount: 200)
    return try DatabaseQueue(path: folder.database, configuration: configuration)
  }
}
