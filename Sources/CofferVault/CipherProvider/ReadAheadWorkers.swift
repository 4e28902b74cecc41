import CofferSQLite
import Glibc
import Synchronization

/// The threads of the process that read pages ahead of scans, one less than there are cores.
///
/// The first window begins one, and more begin while there is more to do than they do. They sleep
/// without work, and while scans need all cores themselves; and end after some seconds of it.
/// Windows take turns.
///
/// While the process is copied, no worker is at a page: what it had locked, in Swift's runtime or
/// in libcrypto, would stay locked in the copy.
///
// SAFETY: what isn't atomic is changed inside of `mutex` alone.
@safe final class ReadAheadWorkers: @unchecked Sendable {
  static let shared = ReadAheadWorkers(
    cores: max(2, sysconf(CInt(_SC_NPROCESSORS_ONLN))))

  private static let mostWorkers = 8
  /// The workers', and one for the thread of the scan.
  static let mostLanes = mostWorkers + 1

  /// How many pages a worker does before the next window has its turn.
  private static let batch = 8
  private static let idleSeconds = 5
  /// How many pages have to wait before another worker is woken, which takes a call of the system.
  private static let worthWaking = 4

  /// Whether this process is a copy of one that had workers, which it hasn't.
  static var isForked: Bool { forked.load(ordering: .relaxed) }
  private static let forked = Atomic<Bool>(false)
  private static let watchesForks: Bool = {
    pthread_atfork(
      { ReadAheadWorkers.shared.pause() }, { ReadAheadWorkers.shared.goOn() },
      {
        ReadAheadWorkers.forked.store(true, ordering: .relaxed)
        ReadAheadWorkers.shared.goOn()
      }) == 0
  }()
  /// How long a copy of the process waits at most for workers, which end their batches of pages.
  private static let mostPauseSeconds = 1

  private let cores: Int
  private let count: Int
  // SAFETY: `init` makes all three, which are never freed.
  @safe private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @safe private let hasWork: UnsafeMutablePointer<pthread_cond_t>
  @safe private let isLeft: UnsafeMutablePointer<pthread_cond_t>
  @safe @exclusivity(unchecked) private var windows: [ReadAheadWindow] = []
  @safe @exclusivity(unchecked) private var turn = 0
  /// The numbers of the lanes that workers have.
  @safe @exclusivity(unchecked) private var lanes: Set<Int> = []
  /// How many workers are at a page, or are only beginning.
  @safe @exclusivity(unchecked) private var busy = 0
  /// Whether the process is about to be copied.
  @safe @exclusivity(unchecked) private var isPaused = false
  private let sleeping = Atomic<Int>(0)
  private let alive = Atomic<Int>(0)

  private init(cores: Int) {
    self.cores = cores
    count = max(1, min(Self.mostWorkers, cores - 1))
    mutex = .allocate(capacity: 1)
    hasWork = .allocate(capacity: 1)
    isLeft = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(hasWork, nil)
    unsafe pthread_cond_init(isLeft, nil)
  }

  // MARK: Windows

  /// Adds a window.
  ///
  /// - Returns: False where there can be no workers.
  func begin(_ window: ReadAheadWindow) -> Bool {
    guard Self.watchesForks, !Self.isForked else { return false }
    unsafe pthread_mutex_lock(mutex)
    windows.append(window)
    unsafe pthread_mutex_unlock(mutex)
    return true
  }

  /// Removes a window, and waits until no worker is at it, for as long as one page takes them.
  func end(_ window: ReadAheadWindow) {
    window.isEnding.store(true, ordering: .relaxed)
    // Another thread may have had the mutex as the process was copied.
    guard !Self.isForked else { return }
    unsafe pthread_mutex_lock(mutex)
    windows.removeAll { $0 === window }
    while window.holders > 0 { unsafe pthread_cond_wait(isLeft, mutex) }
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Wakes or begins a worker if there is enough for it to do.
  @inline(__always)
  func wake(for window: ReadAheadWindow) {
    guard window.waiting >= Self.worthWaking,
      sleeping.load(ordering: .relaxed) > 0 || alive.load(ordering: .relaxed) < count
    else { return }
    wakeOne()
  }

  @inline(never)
  private func wakeOne() {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    let sleepers = sleeping.load(ordering: .relaxed)
    guard isCoreFree(beside: lanes.count - sleepers) else { return }
    if sleepers > 0 {
      unsafe pthread_cond_signal(hasWork)
    } else if let lane = (1...max(1, count)).first(where: { !lanes.contains($0) }),
      lanes.count < count
    {
      lanes.insert(lane)
      busy += 1
      alive.store(lanes.count, ordering: .relaxed)
      guard !start(lane) else { return }
      lanes.remove(lane)
      busy -= 1
      alive.store(lanes.count, ordering: .relaxed)
    }
  }

  /// Whether there is a core for another worker, beside those of scans.
  ///
  /// A worker that takes a core from a scan makes both slower: a page costs more for two threads.
  private func isCoreFree(beside workers: Int) -> Bool {
    let now = ReadAheadWindow.now
    return workers + windows.count { $0.isScanning(at: now) } < cores
  }

  // MARK: Threads

  private final class Start {
    let workers: ReadAheadWorkers
    let lane: Int
    init(_ workers: ReadAheadWorkers, _ lane: Int) { (self.workers, self.lane) = (workers, lane) }
  }

  private func start(_ lane: Int) -> Bool {
    // The program's handlers don't run in threads that it doesn't know.
    var (all, former) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &former)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }
    let start = unsafe Unmanaged.passRetained(Start(self, lane))
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { start in
        // SAFETY: the creator has retained it for this thread.
        let start = unsafe Unmanaged<Start>.fromOpaque(start!).takeRetainedValue()
        start.workers.run(start.lane)
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      unsafe start.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private func run(_ lane: Int) {
    unsafe pthread_mutex_lock(mutex)
    endBusy()
    while true {
      if let window = nextWindow() {
        window.holders += 1
        busy += 1
        unsafe pthread_mutex_unlock(mutex)
        window.work(lane: lane, most: Self.batch)
        unsafe pthread_mutex_lock(mutex)
        window.holders -= 1
        if window.holders == 0, window.isEnding.load(ordering: .relaxed) {
          unsafe pthread_cond_broadcast(isLeft)
        }
        endBusy()
      } else if !sleep() {
        break
      }
    }
    lanes.remove(lane)
    alive.store(lanes.count, ordering: .relaxed)
    unsafe pthread_mutex_unlock(mutex)
  }

  private func endBusy() {
    busy -= 1
    if busy == 0, isPaused { unsafe pthread_cond_broadcast(isLeft) }
  }

  /// The window whose turn it is among those with work.
  private func nextWindow() -> ReadAheadWindow? {
    guard !isPaused, isCoreFree(beside: lanes.count - 1 - sleeping.load(ordering: .relaxed)) else {
      return nil
    }
    for _ in windows.indices {
      turn = turn + 1 < windows.count ? turn + 1 : 0
      if windows[turn].hasWork { return windows[turn] }
    }
    return nil
  }

  /// Waits for work.
  ///
  /// - Returns: False if there was none for some seconds.
  private func sleep() -> Bool {
    var end = Self.time(after: Self.idleSeconds)
    sleeping.add(1, ordering: .relaxed)
    let code = unsafe pthread_cond_timedwait(hasWork, mutex, &end)
    sleeping.subtract(1, ordering: .relaxed)
    return code == 0 || windows.contains(where: \.hasWork)
  }

  private static func time(after seconds: Int) -> timespec {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    time.tv_sec += seconds
    return time
  }

  // MARK: Copies of the process

  /// Waits until no worker is at a page, and locks the mutex until ``goOn()``.
  private func pause() {
    unsafe pthread_mutex_lock(mutex)
    isPaused = true
    var end = Self.time(after: Self.mostPauseSeconds)
    // A copy that is copied has no workers.
    while busy > 0, !Self.isForked, unsafe pthread_cond_timedwait(isLeft, mutex, &end) == 0 {}
  }

  private func goOn() {
    isPaused = false
    // In a copy, a broadcast could wait for threads that it hasn't.
    if !Self.isForked { unsafe pthread_cond_broadcast(hasWork) }
    unsafe pthread_mutex_unlock(mutex)
  }
}
