import CofferTestSupport
import Dispatch
import Synchronization
import Testing

@testable import Coffer

@Suite("Schedulers of observations", .timeLimit(.minutes(15)))
struct SchedulerTests {
  private func check(_ scheduler: some ValueObservationScheduler) async {
    let log = ValueLog<Int>()
    for value in 0..<1_000 { scheduler.schedule { log.append(value) } }
    #expect(await log.values(until: 999) == Array(0..<1_000))
  }

  @Test func `actions are executed in order`() async {
    await check(.task)
    await check(.task(priority: .high))
    await check(.async(onQueue: DispatchQueue(label: "test")))
    await check(.mainActor)
    await check(.immediate)
  }

  @Test func `a task executes what it was given before its scheduler has died`() async {
    let log = ValueLog<Int>()
    do {
      let scheduler = TaskValueObservationScheduler.task
      for value in 0..<100 { scheduler.schedule { log.append(value) } }
    }
    #expect(await log.values(until: 99).count == 100)
  }

  @Test func `only the immediate scheduler has its first value at once`() async {
    #expect(!TaskValueObservationScheduler.task.immediateInitialValue())
    #expect(!AsyncValueObservationScheduler(queue: .global()).immediateInitialValue())
    #expect(!DelayedMainActorValueObservationScheduler.mainActor.immediateInitialValue())
    #expect(await MainActor.run { ImmediateValueObservationScheduler().immediateInitialValue() })
  }

  @Test func `values come on the queue of the scheduler`() async throws {
    let database = try ObservedDatabase(.pool)
    let key = DispatchSpecificKey<Int>()
    let queue = DispatchQueue(label: "test")
    queue.setSpecific(key: key, value: 1)
    let log = ValueLog<Int?>()
    let cancellable = CountTracking.eachFetch.observation.start(
      in: database.writer, scheduling: .async(onQueue: queue)
    ) { _ in
    } onChange: { _ in
      log.append(DispatchQueue.getSpecific(key: key))
    }
    _ = await log.values(atLeast: 1)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    #expect(await log.values(atLeast: 2) == [1, 1])
    cancellable.cancel()
  }
}

@Suite("Cancellables")
struct AnyDatabaseCancellableTests {
  private final class Base: DatabaseCancellable {
    let count = Atomic(0)

    func cancel() { count.add(1, ordering: .relaxed) }
  }

  @Test func `a cancellable cancels once`() {
    let base = Base()
    do {
      let cancellable = AnyDatabaseCancellable(base)
      cancellable.cancel()
      cancellable.cancel()
      #expect(base.count.load(ordering: .relaxed) == 1)
    }
    #expect(base.count.load(ordering: .relaxed) == 1)
  }

  @Test func `a cancellable cancels when it is released`() {
    let base = Base()
    do { withExtendedLifetime(AnyDatabaseCancellable(base)) {} }
    #expect(base.count.load(ordering: .relaxed) == 1)
  }
}
