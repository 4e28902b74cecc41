import CSQLCipher
import Glibc
import Synchronization

/// Tells whether the names of open database files may have changed, for a fourth of what it costs
/// to ask for each file.
///
/// The kernel queues an event before the call returns that deletes or renames a watched file, or a
/// folder above it. So while the queue is empty, a file that had its name still has it. One queue
/// serves the process; an event makes each file ask again.
///
/// What no event tells of is left to asking: files behind links, in folders that may not be read,
/// in file systems that other machines change, and where the system has no watches left. A file
/// system that is mounted over a folder is noticed within a second.
/// <https://man7.org/linux/man-pages/man7/inotify.7.html>
enum NameWatch {
  /// A state of all names.
  struct Moment: Equatable {
    /// A number that changes when events are taken from the queue; odd while they are.
    let news: UInt64
    let second: Int
  }

  private struct State {
    var watches: [CInt: [CInt]] = [:]
    var users: [CInt: Int] = [:]
    var lastNumber: CInt = 0
  }

  private static let state = Mutex(State())
  /// Counted before and after events are taken from the queue, so that it is odd meanwhile: else a
  /// file could be seen with its name, and its event taken, between the count and the taking.
  private static let news = Atomic<UInt64>(0)
  /// The queue; -1 if the system has none left.
  private static let queue = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))

  /// Begins to watch the name of an open file.
  ///
  /// - Returns: The number of its watches, for ``end(_:)``; -1 if it can't be watched.
  static func begin(_ path: UnsafePointer<CChar>) -> CInt {
    guard queue >= 0, let path = unsafe watchablePath(path) else { return -1 }
    let name = IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF
    return state.withLock { state in
      var watches: [CInt] = []
      var part = path[...]
      while !part.isEmpty {
        let kinds = part.endIndex == path.endIndex ? name : IN_MOVE_SELF | IN_ONLYDIR
        let watch = unsafe inotify_add_watch(queue, String(part), UInt32(kinds))
        guard watch >= 0 else {
          remove(watches, from: &state)
          return -1
        }
        watches.append(watch)
        state.users[watch, default: 0] += 1
        part = part[..<(part.lastIndex(of: "/") ?? part.startIndex)]
      }
      state.lastNumber &+= 1
      state.watches[state.lastNumber] = watches
      return state.lastNumber
    }
  }

  /// Ends the watches of a file.
  static func end(_ number: CInt) {
    guard number > 0 else { return }
    state.withLock { state in
      if let watches = state.watches.removeValue(forKey: number) { remove(watches, from: &state) }
    }
  }

  private static func remove(_ watches: [CInt], from state: inout State) {
    for watch in watches {
      guard let users = state.users[watch], users == 1 else {
        state.users[watch]? -= 1
        continue
      }
      state.users[watch] = nil
      // The kernel itself ends that of a deleted file.
      inotify_rm_watch(queue, watch)
    }
  }

  /// The moment from which a file that has its name need not ask for it.
  static func now() -> Moment {
    var time = timespec()
    // Read without a call into the kernel.
    unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return Moment(news: news.load(ordering: .sequentiallyConsistent), second: time.tv_sec)
  }

  /// Whether nothing has happened since a moment that concerns any name.
  static func isQuiet(since moment: Moment) -> Bool {
    var waiting: CInt = 0
    guard unsafe ioctl(queue, UInt(FIONREAD), &waiting) == 0 else { return false }
    if waiting > 0 { takeEvents() }
    return moment.news % 2 == 0 && now() == moment
  }

  /// Empties the queue. What the events say is of no interest: each file asks for its own name.
  private static func takeEvents() {
    // One thread at a time.
    state.withLock { _ in
      news.add(1, ordering: .sequentiallyConsistent)
      unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
        while unsafe read(queue, buffer.baseAddress, buffer.count) > 0 {}
      }
      news.add(1, ordering: .sequentiallyConsistent)
    }
  }

  /// Returns the path if events tell of all that changes what it names.
  private static func watchablePath(_ path: UnsafePointer<CChar>) -> String? {
    guard unsafe localSystems.contains(coffer_file_system(path)),
      let real = unsafe realpath(path, nil)
    else { return nil }
    defer { unsafe free(real) }
    return unsafe strcmp(path, real) == 0 ? String(validatingCString: path) : nil
  }

  /// The file systems that only this machine changes: ext4, XFS, Btrfs, F2FS, ZFS, bcachefs, tmpfs
  /// and overlays of them, by the numbers of `statfs(2)`.
  private static let localSystems: Set<UInt32> = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E, 0x0102_1994,
    0x794C_7630,
  ]
}
