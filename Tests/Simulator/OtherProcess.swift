import Coffer
import Foundation

/// A process of this program that writes to the simulation's file:
///
///   CofferSimulator other-process
///
/// It reads lines "commit SEED STEP KEY PATH" or "hold SEED STEP KEY PATH", takes the actions from
/// the program of that seed, and says what has come of them. With "hold" it says "holding" in the
/// middle of its transaction, and waits to be killed. Each line opens and closes the file. With
/// "copy" it copies the files beside themselves, to killed.db.
final class OtherProcess {
  // SAFETY: only the main thread uses it.
  nonisolated(unsafe) static let shared = OtherProcess()

  private var process: Process?
  private var input = Pipe()
  private var output = Pipe()

  private func start() throws {
    if process?.isRunning == true { return }
    input = Pipe()
    output = Pipe()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["other-process"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    self.process = process
  }

  /// Lets the process write the actions of the simulation's current step.
  func ask(_ verb: String, _ simulation: Simulation) throws -> String {
    try start()
    let words = [
      verb, "\(simulation.program.seed)", "\(simulation.number)", "\(simulation.keyNumber)",
      simulation.path,
    ]
    input.fileHandleForWriting.write(Data((words.joined(separator: " ") + "\n").utf8))
    var line = Data()
    while line.last != 0x0A {
      let more = output.fileHandleForReading.availableData
      try require(!more.isEmpty, "the other process has ended")
      line += more
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  func kill() {
    guard let process else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  // MARK: In the process

  static func serve() throws {
    while let line = readLine() {
      let words = line.split(separator: " ", maxSplits: 4).map(String.init)
      guard words.count == 5, let seed = UInt64(words[1]), let step = Int(words[2]),
        let key = UInt8(words[3])
      else { throw Violation("a line that isn't known: \(line)") }
      if words[0] == "copy" {
        try copy(words[4])
        continue
      }
      let program = Program(seed: seed)
      var configuration = Configuration()
      configuration.key = try Simulation.key(program, key)
      configuration.cipher.pageSize = program.setting.pageSize
      // The mode that the file has.
      let isLogged = FileManager.default.fileExists(atPath: words[4] + "-wal")
      configuration.journalMode = isLogged ? .wal : .default
      let queue = try DatabaseQueue(path: words[4], configuration: configuration)
      let reply = Result {
        try write(queue, program.steps[step - 1], step, holds: words[0] == "hold")
      }
      try queue.close()
      switch reply {
      case .success(let text): say(text)
      case .failure(let error): say("\(error)".replacingOccurrences(of: "\n", with: " "))
      }
    }
  }

  private static func copy(_ path: String) throws {
    let files = FileManager.default
    let target = URL(fileURLWithPath: path).deletingLastPathComponent().path + "/killed.db"
    for suffix in ["", "-wal", "-journal"] where files.fileExists(atPath: path + suffix) {
      try files.copyItem(atPath: path + suffix, toPath: target + suffix)
    }
    say("copied")
  }

  private static func write(
    _ queue: DatabaseQueue, _ step: Step, _ number: Int, holds: Bool
  ) throws -> String {
    var reply = "committed"
    do {
      try queue.inTransaction { db in
        let base = try State.read(db)
        switch step {
        case .killedProcess(let actions):
          _ = try Performer().performAll(actions, stamp: number, on: base, db)
          say("holding")
          while true { sleep(1) }
        case .process(let actions, let ending):
          _ = try Performer().performAll(actions, stamp: number, on: base, db)
          if ending == .refusal { throw Refusal() }
          if ending == .rollback { reply = "rolled back" }
          return ending == .commit ? .commit : .rollback
        default: throw Violation("step \(number) isn't one of a process")
        }
      }
    } catch is Refusal {
      return "refused"
    } catch is TransactionEnded {
      return "ended"
    }
    return reply
  }
}
