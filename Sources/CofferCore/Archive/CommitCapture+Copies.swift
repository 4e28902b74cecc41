extension CommitCapture {
  // MARK: Copying pages

  /// Adds all pages of the database to those that a level copies.
  package func addAllPages(to level: Int) throws {
    try state.withLock { state in
      guard let held = state.hold.state else { throw CommitCaptureError.logIsGone }
      state.changed[level].insert(upTo: held.pageCount)
    }
  }

  /// Whether a level has pages to copy.
  package func hasChangedPages(_ level: Int) -> Bool {
    state.withLock { !$0.changed[level].isEmpty }
  }

  /// Copies changed pages of a level as of the last commit that was read, up to 4 MiB at once.
  ///
  /// Pages that are changed later are copied again, so that with the last of these calls, all copied
  /// pages together are those of one commit.
  /// - Parameter isEnding: Whether to read no commits until all are copied, since pages are changed faster
  ///   than they are copied. The log grows meanwhile.
  /// - Returns: Nil if the commits until now have no room yet.
  package func copyPages(of level: Int, isEnding: Bool) throws -> Pages? {
    try state.withLock { state in
      guard try state.isFrozen || collect(&state), let held = state.hold.state,
        !state.isInsideCommit
      else { return nil }
      state.isFrozen = isEnding
      state.changed[level].removeAll(above: held.pageCount)
      var pages = Pages()
      let numbers = state.changed[level].first(pagesInCopy)
      pages.frames.reserveCapacity(numbers.count * (pageSize + 4))
      for number in numbers where number != lockPage {
        pages.frames.append(UInt32(number))
        try appendPage(number, to: &pages.frames, held, &state)
      }
      for number in numbers { state.changed[level].remove(number) }
      pages.isLast = state.changed[level].isEmpty
      if pages.isLast { state.isFrozen = false }
      pages.commit = state.lastCommit
      pages.date = state.lastDate
      pages.pageCount = held.pageCount
      return pages
    }
  }

  /// Readers have several copies in memory, so that they are smaller than pieces.
  private var pagesInCopy: Int { max(1, min(limits.pieceSize, 4 << 20) / (pageSize + 4)) }

  /// The changed pages of all levels, as bits, if all commits that were read are stored.
  package func changedPages() -> [[UInt64]]? {
    state.withLock { state in
      guard state.pieces.isEmpty, !state.isInsideCommit, state.position != nil else { return nil }
      return state.changed.map(\.words)
    }
  }

  /// Adds pages to those that levels copy.
  package func addChangedPages(_ pages: [[UInt64]]) {
    state.withLock { state in
      for (level, words) in pages.enumerated() where state.changed.indices.contains(level) {
        state.changed[level].formUnion(words)
      }
    }
  }

  /// Adds the pages of frames to those that all levels copy.
  package func addChangedPages(of frames: ArraySlice<UInt8>) {
    state.withLock { state in
      for start in stride(from: frames.startIndex, to: frames.endIndex, by: pageSize + 4) {
        let page = (0..<4).reduce(0) { $0 | Int(frames[start + $1]) << (8 * $1) }
        for level in state.changed.indices where page > 0 { state.changed[level].insert(page) }
      }
    }
  }

  /// The page that SQLite uses for locks and never writes.
  private var lockPage: Int { SQLiteHeader.lockPage(ofSize: pageSize) }

  private func appendPage(
    _ number: Int, to bytes: inout [UInt8], _ held: LogHold.State, _ state: inout State
  ) throws {
    var page: [UInt8]
    // Where the file has all frames, the log may be started again at any time.
    if !held.isFinal, let frame = state.logFrames[UInt32(number)] {
      page = try log(&state).read(count: pageSize, at: offset(ofFrame: frame) + 24)
    } else {
      do { page = try state.main.read(count: pageSize, at: (number - 1) * pageSize) } catch {
        throw error.databaseError(path)
      }
    }
    guard page.count == pageSize else { throw CommitCaptureError.pageIsMissing(number) }
    bytes += page
  }
}
