import CofferVault
import Glibc

/// Reports when files of a database are written, created or deleted, by any process.
///
/// It watches the folder, not its path: a folder stays watched when it is moved.
// The descriptors are closed once no thread waits on them.
final class FolderWatch: Sendable {
  /// The events that have ended a wait; none after a timeout.
  struct Wakeup {
    var isWoken = false
    var hasEvents = false
  }

  private let events: CInt
  private let alarm: (reading: CInt, writing: CInt)
  private let names: Set<[UInt8]>

  /// Watches a database file, its journal and its log.
  ///
  /// - Throws: ``DatabaseError`` if the system has no watches left, or the folder can't be read.
  init(databasePath: String) throws {
    let (folder, name) = FolderWatch.split(databasePath)
    names = Set(["", "-wal", "-journal"].map { Array((name + $0).utf8) })
    events = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard events >= 0 else { throw FolderWatch.failure(folder) }
    let kinds = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_ONLYDIR
    guard unsafe inotify_add_watch(events, folder, UInt32(kinds)) >= 0 else {
      let failure = FolderWatch.failure(folder)
      close(events)
      throw failure
    }
    var ends: [CInt] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      let failure = FolderWatch.failure(folder)
      close(events)
      throw failure
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    alarm = (ends[0], ends[1])
  }

  deinit {
    close(events)
    close(alarm.reading)
    close(alarm.writing)
  }

  private static func failure(_ folder: String) -> DatabaseError {
    let reason = unsafe String(cString: strerror(errno))
    return DatabaseError(
      resultCode: .SQLITE_CANTOPEN, message: "the folder of the database can't be watched",
      hint: "\(folder): \(reason). The system limits the watches of each user: see "
        + "/proc/sys/fs/inotify. Configuration.observesExternalChanges needs one per database.")
  }

  /// Returns the folder in which SQLite finds the file, and the file's name there.
  private static func split(_ path: String) -> (folder: String, name: String) {
    var real = path
    if let pointer = unsafe realpath(path, nil) {
      real = unsafe String(cString: pointer)
      unsafe free(pointer)
    }
    guard let slash = real.lastIndex(of: "/") else { return (".", real) }
    let folder = real[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(real[real.index(after: slash)...]))
  }

  // MARK: Waiting

  /// Waits for a call of ``wake()`` or a write to the database.
  ///
  /// - Parameters:
  ///   - milliseconds: The maximum time to wait; nil for no limit.
  ///   - forEvents: Whether writes end the wait; otherwise their events stay queued.
  func wait(milliseconds: Int?, forEvents: Bool) -> Wakeup {
    var descriptors = [
      pollfd(fd: alarm.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: forEvents ? events : -1, events: Int16(POLLIN), revents: 0),
    ]
    let timeout = milliseconds.map { CInt(clamping: $0) } ?? -1
    guard unsafe poll(&descriptors, nfds_t(descriptors.count), timeout) > 0 else { return Wakeup() }
    var wakeup = Wakeup()
    if descriptors[0].revents != 0 {
      wakeup.isWoken = true
      unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
        while unsafe read(alarm.reading, buffer.baseAddress, buffer.count) > 0 {}
      }
    }
    if descriptors[1].revents != 0 { wakeup.hasEvents = takeEvents() }
    return wakeup
  }

  /// Ends the current wait, or the next one; callable from any thread.
  func wake() {
    var byte: UInt8 = 1
    // If the pipe is full, the reader is woken anyway.
    _ = unsafe write(alarm.writing, &byte, 1)
  }

  /// Whether the database has been written since the last call.
  func takeEvents() -> Bool {
    unsafe withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
      var isConcerned = false
      while true {
        let count = unsafe read(events, buffer.baseAddress, buffer.count)
        guard count > 0 else { return isConcerned }
        if unsafe concerns(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
          isConcerned = true
        }
      }
    }
  }

  /// Whether an event is about a file of the database, or events were lost.
  @safe private func concerns(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let header = MemoryLayout<inotify_event>.size
    var start = 0
    while start + header <= bytes.count {
      // SAFETY: the kernel writes only whole events, each with the length of its name.
      let event = unsafe bytes.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
      let end = start + header + Int(event.len)
      guard end <= bytes.count else { return true }
      if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
      if unsafe names.contains(Array(bytes[start + header..<end].prefix { $0 != 0 })) {
        return true
      }
      start = end
    }
    return false
  }
}
