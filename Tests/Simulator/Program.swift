import CofferTestSupport

/// How a file is opened.
struct Setting: Sendable {
  enum Journal: Sendable, CaseIterable { case standard, log, rollback }
  enum Waiting: Sendable, CaseIterable { case never, briefly, asking }

  var isPool: Bool
  var journal: Journal
  var waiting: Waiting
  var readerCount: Int
  var statementCount: Int
  /// Whether the cache holds so little that a transaction writes to the file before its commit.
  var spills: Bool
  var pageSize: Int
  var checkpointPages: Int
  var keepsReaders: Bool
  /// Whether commits of other connections are observed.
  var seesOthers: Bool

  init(_ random: inout SeededGenerator) {
    isPool = random.chance(55)
    journal = isPool ? .log : random.pick(Journal.allCases)
    waiting = random.pick(Waiting.allCases)
    readerCount = 3 + random.below(3)
    statementCount = random.pick([100, 100, 3, 0])
    spills = random.chance(25)
    pageSize = random.pick([4096, 4096, 1024, 8192])
    checkpointPages = random.pick([1000, 1000, 4, 40])
    keepsReaders = random.chance(30)
    seesOthers = random.chance(25)
  }

  var hasLog: Bool { isPool || journal != .rollback }
}

/// How a write transaction ends.
enum Ending: Sendable, CaseIterable { case commit, rollback, refusal }

enum WriteForm: Sendable, CaseIterable {
  case write, transaction, withoutTransaction, barrier, reentrant, tasks, callback, store
}

enum ReadForm: Sendable, CaseIterable {
  case read, unsafeRead, reentrant, tasks, callback, concurrent, writer
}

/// Ways to read, each of which has to see the same.
enum Look: Sendable, CaseIterable { case rows, cursor, arrays, requests, documents }

/// When a write is cancelled.
enum Moment: Sendable { case before, inside(Int), atTheEnd, waiting }

/// A part of a write transaction.
indirect enum Action: Sendable {
  case insert(Item)
  case insertBySQL(Item)
  case update(Item)
  case upsert(Item)
  case save(Item)
  case delete(Int)
  case add(Int, modulus: Int)
  case deleteAmong([Int])
  case insertPart(Part)
  case insertNote(Note)
  case saveNotes([Note])
  case changeNotes(author: String, count: Int)
  case deleteNote(String)
  case table(Int)
  case savepoint([Action], Ending)
  case look(Look)
  case wrongSQL
  /// A conflict that rolls the whole transaction back, whether or not the closure notices.
  case conflictThatRollsBack(Item, isNoticed: Bool)
}

/// What one of the actors does.
indirect enum Step: Sendable {
  case write(WriteForm, [Action], Ending)
  case read(ReadForm, Look)
  case cancelled([Action], Moment)
  /// A read that stays open.
  case park
  case unpark
  case snapshot(hasSeveralConnections: Bool)
  case lookAtSnapshot(Int)
  case closeSnapshot(Int)
  case observe(Int)
  case endObservation(Int)
  case checkpoint(Int)
  case vacuum
  case releaseMemory
  case changeKey
  case reopen(Setting)
  case closeWhileReading
  case useClosed
  case backup
  /// The files are copied, as they are after the end of the process, and opened.
  case copy
  /// The second connection opens the file, if it has not, and writes.
  case otherWrite([Action], Ending)
  case otherRead
  case otherClose
  /// Both connections want to write at the same time.
  case contention([Action])
  case process([Action], Ending)
  case killedProcess([Action])
  case faulty(Int, Int, lasts: Bool, Step)
  case storm(threads: Int, rounds: Int, cancels: Bool)
  case archive(ArchiveStep)
}

/// All that a seed does. The same seed gives the same program, whatever comes of its steps.
struct Program: Sendable {
  let seed: UInt64
  let setting: Setting
  let steps: [Step]

  init(seed: UInt64, stepCount: Int = 36) {
    self.seed = seed
    var random = SeededGenerator(state: seed)
    let setting = Setting(&random)
    self.setting = setting
    var steps: [Step] = [
      .write(.write, (0..<6).map { _ in .insert(random.item()) }, .commit),
      .write(.store, [.saveNotes((0..<4).map { _ in random.note() })], .commit),
    ]
    while steps.count < stepCount { steps.append(random.step(setting)) }
    self.steps = Program.insertingArchive(steps, seed: seed)
  }
}

extension SeededGenerator {
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

  /// An index, with the given weights.
  private mutating func weighted(_ weights: [Int]) -> Int {
    var left = below(weights.reduce(0, +))
    for (index, weight) in weights.enumerated() {
      if left < weight { return index }
      left -= weight
    }
    return 0
  }

  mutating func item() -> Item {
    let text = chance(85) ? "text \(below(1000))" : String(repeating: "x\(below(9))", count: 2000)
    let code: Int? = chance(30) ? below(12) : nil
    return Item(id: 1 + below(24), number: below(50), text: text, code: code)
  }

  mutating func note() -> Note {
    let tags = (0..<below(3)).map { _ in pick(["a", "b", "ü", ""]) }
    return Note(
      id: "n\(below(12))", author: pick(["Ada", "Grace", "Edsger"]), count: below(20), tags: tags)
  }

  /// The actions of a transaction.
  mutating func actions(_ depth: Int = 0) -> [Action] {
    (0..<(1 + below(5))).map { _ in action(depth) }
  }

  private mutating func action(_ depth: Int) -> Action {
    let weights = [12, 6, 8, 6, 6, 8, 6, 6, 8, 5, 8, 5, 5, 2, depth < 2 ? 8 : 0, 5, 2, 1]
    switch weighted(weights) {
    case 0: return .insert(item())
    case 1: return .insertBySQL(item())
    case 2: return .update(item())
    case 3:
      var new = item()
      // With two conflicts, an upsert would update one row of the two.
      new.code = nil
      return .upsert(new)
    case 4: return .save(item())
    case 5: return .delete(1 + below(24))
    case 6: return .add(1 + below(9), modulus: 1 + below(5))
    case 7: return .deleteAmong((0..<below(5)).map { _ in 1 + below(24) })
    case 8:
      return .insertPart(Part(id: 1 + below(40), itemId: 1 + below(24), amount: below(100)))
    case 9: return .insertNote(note())
    case 10: return .saveNotes((0...below(3)).map { _ in note() })
    case 11: return .changeNotes(author: pick(["Ada", "Grace", "Edsger"]), count: below(20))
    case 12: return .deleteNote("n\(below(12))")
    case 13: return .table(below(3))
    case 14: return .savepoint(actions(depth + 1), pick(Ending.allCases))
    case 15: return .look(pick(Look.allCases))
    case 16: return .wrongSQL
    default: return .conflictThatRollsBack(item(), isNoticed: chance(50))
    }
  }

  private mutating func ending() -> Ending { chance(70) ? .commit : pick([.rollback, .refusal]) }

  private mutating func form() -> WriteForm { pick(WriteForm.allCases) }

  mutating func step(_ setting: Setting) -> Step {
    switch weighted([48, 14, 8, 12, 16, 16]) {
    case 0: return .write(form(), actions(), ending())
    case 1: return .read(pick(ReadForm.allCases), pick(Look.allCases))
    case 2:
      let moments: [Moment] = [.before, .inside(1 + below(4)), .atTheEnd, .waiting]
      return .cancelled(actions(), pick(moments))
    case 3: return readingStep()
    case 4: return connectionStep()
    default: return faultyStep()
    }
  }

  private mutating func readingStep() -> Step {
    switch below(9) {
    case 0: return .park
    case 1: return .unpark
    case 2, 3: return .snapshot(hasSeveralConnections: chance(30))
    case 4: return .lookAtSnapshot(below(2))
    case 5: return .closeSnapshot(below(2))
    case 6, 7: return .observe(below(4))
    default: return .endObservation(below(3))
    }
  }

  private mutating func connectionStep() -> Step {
    switch weighted([6, 2, 2, 3, 4, 2, 1, 2, 14, 5, 3, 4, 3, 1, 3, 8]) {
    case 0: return .checkpoint(below(4))
    case 1: return .vacuum
    case 2: return .releaseMemory
    case 3: return .changeKey
    case 4: return .reopen(Setting(&self))
    case 5: return .closeWhileReading
    case 6: return .useClosed
    case 7: return .backup
    case 8: return .otherWrite(actions(), ending())
    case 9: return .otherRead
    case 10: return .otherClose
    case 11: return .contention(actions())
    case 12: return .process(actions(), ending())
    case 13: return .killedProcess(actions())
    case 14: return .storm(threads: 2 + below(3), rounds: 2 + below(3), cancels: chance(50))
    default: return .copy
    }
  }

  private mutating func faultyStep() -> Step {
    let kind = chance(35) ? 0 : below(Faults.kinds.count)
    // A step has hundreds of calls for memory, some for bytes and locks, and few of other kinds.
    // Small numbers are as likely as great ones.
    let bits: Int =
      switch Faults.kinds[kind] {
      case "memory": 9
      case "read", "write", "full": 5
      default: 3
      }
    let number = 1 + below(1 << below(bits + 1))
    let lasts = chance(40)
    let step: Step
    switch weighted([60, 12, 8, 6, 4, 4, 6]) {
    case 0:
      let forms: [WriteForm] = [.write, .transaction, .withoutTransaction, .reentrant, .store]
      step = .write(pick(forms), actions(), ending())
    case 1: step = .read(pick([.read, .unsafeRead, .writer]), pick(Look.allCases))
    case 2: step = .checkpoint(below(4))
    case 3: step = .snapshot(hasSeveralConnections: false)
    case 4: step = .backup
    case 5: step = .changeKey
    default: step = .reopen(Setting(&self))
    }
    return .faulty(kind, number, lasts: lasts, step)
  }
}
