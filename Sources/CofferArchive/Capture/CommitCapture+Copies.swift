import CofferCore

extension CommitCapture {
  // MARK: Copying pages

  /// Adds all pages of the database to those that a level copies.
  func addAllPages(to level: Int) throws {
    try state.withLock { state in
      guard let held = state.hold.state else { throw CommitCaptureError.logIsGone }
      state.changed[level].insert(upTo: held.pageCount)
    }
  }

  /// Whether a level has pages to copy.
  func hasChangedPages(_ level: Int) -> Bool {
    state.withLock { !$0.changed[level].isEmpty }
  }

  /// Copies changed pages of a level as of the last commit that was read, up to 4 MiB at once.
  ///
  /// Pages that are changed later are copied again, so that with the last of these calls, all
  /// copied pages together are those of one commit. All are verified.
  /// - Parameter isEnding: Whether to read no commits until all are copied, since pages are changed
  ///   faster than they are copied. The log grows meanwhile.
  /// - Returns: Nil if the commits until now have no room yet.
  func copyPages(of level: Int, isEnding: Bool) throws -> Pages? {
    var pages = Pages()
    pages.frames.reserveCapacity(pagesInCopy * (pageSize + 4))
    var left = pagesInCopy
    do {
      while left > 0, !pages.isLast {
        // The database's writer doesn't wait for more than a few pages.
        let count = min(left, 64)
        let isCopied = try state.withLock { state in
          guard try state.isFrozen || collect(&state), let held = state.hold.state,
            !state.isInsideCommit
          else { return false }
          state.isFrozen = isEnding
          try copySome(count, of: level, to: &pages, held, &state)
          return true
        }
        if !isCopied { break }
        left -= count
      }
      guard left < pagesInCopy else { return nil }
      // Here, where it takes no time of a restore.
      pages.damagedPages = try verifier.damagedPages(in: pages.frames[...]).map(\.number)
    } catch {
      // Those that were copied are lost.
      addChangedPages(of: pages.frames[...])
      throw error
    }
    return pages
  }

  private func copySome(
    _ count: Int, of level: Int, to pages: inout Pages, _ held: LogHold.State,
    _ state: inout State
  ) throws {
    state.changed[level].removeAll(above: held.pageCount)
    let numbers = state.changed[level].first(count)
    // Where the file has all frames, the log may be started again at any time.
    let log = held.isFinal ? nil : try log(&state)
    for number in numbers where number != lockPage {
      pages.frames.append(UInt32(number))
      if let log, let frame = state.logFrames[UInt32(number)] {
        pages.frames += try log.read(
          count: pageSize, at: layout.offset(ofFrame: frame) + LogLayout.frameHeaderSize)
      } else {
        do {
          pages.frames += try state.hold.read(count: pageSize, at: (number - 1) * pageSize)
        } catch let error as ReadOnlyFileError {
          throw error.databaseError(path)
        }
      }
      guard pages.frames.count % (pageSize + 4) == 0 else {
        throw CommitCaptureError.pageIsMissing(number)
      }
    }
    for number in numbers { state.changed[level].remove(number) }
    pages.isLast = state.changed[level].isEmpty
    if pages.isLast { state.isFrozen = false }
    pages.commit = state.lastCommit
    pages.date = state.lastDate
    pages.pageCount = held.pageCount
  }

  /// Readers have several copies in memory, so that they are smaller than pieces.
  private var pagesInCopy: Int { max(1, min(limits.pieceSize, 4 << 20) / (pageSize + 4)) }

  /// The changed pages of all levels, as bits, if all commits that were read are stored.
  func changedPages() -> [[UInt64]]? {
    state.withLock { state in
      guard state.pieces.isEmpty, !state.isInsideCommit, state.position != nil else { return nil }
      return state.changed.map(\.words)
    }
  }

  /// Adds pages to those that levels copy.
  func addChangedPages(_ pages: [[UInt64]]) {
    state.withLock { state in
      for (level, words) in pages.enumerated() where state.changed.indices.contains(level) {
        state.changed[level].formUnion(words)
      }
    }
  }

  /// Adds the pages of frames to those that all levels copy.
  func addChangedPages(of frames: ArraySlice<UInt8>) {
    state.withLock { state in
      for start in stride(from: frames.startIndex, to: frames.endIndex, by: pageSize + 4) {
        let page = frames.littleEndian32(at: start)
        for level in state.changed.indices where page > 0 { state.changed[level].insert(page) }
      }
    }
  }

  /// The page that SQLite uses for locks and never writes.
  private var lockPage: Int { SQLiteHeader.lockPage(ofSize: pageSize) }
}
