import CofferCore
import Dispatch
import FoundationEssentials

extension CommitCapture {
  // MARK: Reading commits

  /// Reads commits on a thread of its own. Called by the database's writer, which doesn't wait.
  func readAhead() {
    reading.async { [weak self] in
      // The next reader of these commits meets the error again, and reports it.
      guard let self, (try? collect()) != nil else { return }
      if isNearlyFull, let call = whenFull.withLock({ $0 }) { call() }
    }
  }

  /// Whether there is hardly room for more commits.
  var isNearlyFull: Bool { state.withLock { $0.pieces.count >= limits.pieceCount - 1 } }

  /// Whether commits wait in the log until others are stored.
  var isFull: Bool {
    state.withLock { $0.position != nil && $0.pieces.count >= limits.pieceCount }
  }

  var isClosed: Bool { state.withLock(\.isClosed) }

  /// Sets what is called, on a thread of its own, when there is hardly room for more commits.
  func onFull(_ call: @escaping @Sendable () -> Void) { whenFull.withLock { $0 = call } }

  /// Lets the log go as soon as it is too long, also while the archive's store doesn't answer.
  func watchLog(every interval: Duration) {
    reading.async(after: interval) { [weak self] in
      guard let self, !isClosed else { return }
      _ = letGoIfTooLong()
      watchLog(every: interval)
    }
  }

  /// Reads the commits until now, as far as there is room for them.
  ///
  /// - Returns: Whether there was room for all.
  /// - Throws: ``CommitCaptureError/otherKey`` if they have another key.
  func collect() throws -> Bool {
    try state.withLock { state in try collect(&state) }
  }

  /// - Returns: Whether the hold sees exactly the commits that were read.
  @discardableResult
  func collect(_ state: inout State) throws -> Bool {
    guard !state.isClosed, !state.isFrozen, let position = state.position,
      let held = state.hold.state
    else { return false }
    let index = try state.hold.index()
    let isCurrent = index.salts == position.salts && index.frameCount == position.frame
    let isHeld = held.salts == position.salts && held.frame == position.frame
    if isCurrent, isHeld, held.isFinal || index.movedCount < index.frameCount { return true }
    let seen = try state.hold.beginNext()
    do {
      var start = position
      if seen.salts != position.salts {
        // SQLite can have started the log again if its frames were all read and in the file.
        guard held.isFinal, isHeld else { throw CommitCaptureError.logIsGone }
        start = LogPosition(salts: seen.salts, frame: 0, checksum: [])
      }
      guard seen.frame >= start.frame else { throw CommitCaptureError.logIsGone }
      guard try read(from: start, to: seen, &state) else {
        state.hold.endNext()
        return false
      }
      try state.hold.advance(to: seen)
      return true
    } catch {
      state.hold.endNext()
      throw error
    }
  }

  /// Reads frames into pieces.
  ///
  /// - Returns: False if there was no room for all.
  func read(
    from start: LogPosition, to seen: LogHold.State, _ state: inout State
  ) throws -> Bool {
    let frameSize = layout.frameSize
    var number = start.frame
    // A writer starts the log again before its first frame is there.
    if state.position?.salts != start.salts { state.logFrames = [:] }
    while number < seen.frame {
      guard let room = room(&state) else { return false }
      let count = min(room, seen.frame - number, max(1, 262_144 / frameSize))
      let bytes = try log(&state).read(
        count: count * frameSize, at: layout.offset(ofFrame: number + 1))
      guard bytes.count == count * frameSize else { throw CommitCaptureError.logIsGone }
      let frames = stride(from: 0, to: bytes.count, by: frameSize).compactMap { start in
        let bytes = bytes[start..<(start + frameSize)]
        return LogFrame(bytes).map { (header: $0, bytes: bytes) }
      }
      for frame in frames {
        guard frame.header.belongs(to: seen.salts) else { throw CommitCaptureError.logIsGone }
        if frame.header.page == 1, !isReadable(frame.bytes, state) {
          throw CommitCaptureError.otherKey
        }
      }
      guard let last = frames.last else { throw CommitCaptureError.logIsGone }
      // The commit that changes the key can be too large to wait for its first page.
      if !last.header.isCommit, decrypted(last.bytes, state) == nil,
        try hasOtherKey(from: number + count + 1, to: seen.frame, &state)
      {
        throw CommitCaptureError.otherKey
      }
      let date = date(&state)
      makeRoom(for: count, expected: min(room, seen.frame - number), &state)
      for frame in frames {
        number += 1
        append(frame.header, frame.bytes, date: date, &state)
        state.logFrames[frame.header.page] = number
      }
      let end = LogPosition(
        salts: seen.salts, frame: number, checksum: last.header.checksumBytes)
      state.pieces[state.pieces.count - 1].end = end
      state.position = end
    }
    if state.position?.salts != seen.salts {
      state.position = LogPosition(salts: seen.salts, frame: seen.frame, checksum: [])
    }
    return true
  }

  /// The frames for which the last piece has room; nil for none.
  private func room(_ state: inout State) -> Int? {
    let most = pagesInPiece
    if let last = state.pieces.last, !state.isTaken || state.pieces.count > 1,
      state.isInsideCommit || last.firstCommit + UInt64(last.commits.count) == state.lastCommit + 1
    {
      let room = most - last.frames.count / (pageSize + 4)
      if room > 0 { return room }
    }
    guard state.pieces.count < limits.pieceCount, let position = state.position else { return nil }
    state.pieces.append(CommitPiece(firstCommit: state.lastCommit + 1, end: position))
    return most
  }

  private var pagesInPiece: Int { max(1, limits.pieceSize / (pageSize + 4)) }

  /// Makes room for frames in the last piece: for all that are there, and at least twice as many as
  /// before.
  private func makeRoom(for count: Int, expected: Int, _ state: inout State) {
    let last = state.pieces.count - 1
    let (size, capacity) = (pageSize + 4, state.pieces[last].frames.capacity)
    guard state.pieces[last].frames.count + count * size > capacity else { return }
    let needed = state.pieces[last].frames.count + expected * size
    state.pieces[last].frames.reserveCapacity(
      min(max(needed, 2 * capacity), pagesInPiece * size))
  }

  private func append(
    _ frame: LogFrame, _ bytes: ArraySlice<UInt8>, date: UInt64, _ state: inout State
  ) {
    let last = state.pieces.count - 1
    if !state.isInsideCommit || state.pieces[last].commits.isEmpty {
      state.pieces[last].commits.append(.init(date: date, frameCount: 0, pageCount: 0))
    }
    let commit = state.pieces[last].commits.count - 1
    state.pieces[last].commits[commit].frameCount += 1
    state.pieces[last].frames.append(frame.page)
    state.pieces[last].frames += bytes.dropFirst(LogLayout.frameHeaderSize)
    state.isInsideCommit = !frame.isCommit
    for level in state.changed.indices { state.changed[level].insert(Int(frame.page)) }
    guard frame.isCommit else { return }
    state.pieces[last].commits[commit].pageCount = frame.pageCount
    state.lastCommit += 1
    state.lastDate = date
  }

  /// The time, never before that of the last commit: a clock can be set back.
  func date(_ state: inout State) -> UInt64 {
    max(state.lastDate, state.now().archivedMilliseconds)
  }

  /// Whether the frame of a first page has this key: another process can have changed it.
  private func isReadable(_ frame: ArraySlice<UInt8>, _ state: State) -> Bool {
    guard let page = decrypted(frame, state) else { return false }
    return SQLiteHeader(page)?.hasFixedFields(pageSize: pageSize) == true
  }

  /// Returns the page of a frame; nil if it isn't authentic.
  private func decrypted(_ frame: ArraySlice<UInt8>, _ state: State) -> [UInt8]? {
    let number = frame.integer32(at: 0)
    var page = Array(frame.dropFirst(LogLayout.frameHeaderSize))
    let settings = key.settings
    let isDecrypted = unsafe page.withUnsafeMutableBytes {
      state.cipher.decrypt($0, number: number, isAuthenticated: settings.usesHMAC)
    }
    return isDecrypted ? page : nil
  }

  /// Whether a commit that continues at a frame has another key, by its first page.
  private func hasOtherKey(from first: Int, to last: Int, _ state: inout State) throws -> Bool {
    guard first <= last else { return false }
    let log = try log(&state)
    for number in first...last {
      let frame = try frame(number, of: log)
      if frame.page == 1 {
        let bytes = try log.read(count: layout.frameSize, at: layout.offset(ofFrame: number))
        return bytes.count == layout.frameSize && !isReadable(bytes[...], state)
      }
      if frame.isCommit { break }
    }
    return false
  }
}
