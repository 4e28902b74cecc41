import CSQLCipher
import Glibc

/// Calls of the system that Swift's import of glibc lacks. Each returns 0, or -1 with `errno`,
/// unless it says something else.
package enum SystemCalls {
  /// Repeats a call of the system while a signal interrupts it.
  package static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  /// Renames a file, unless the other name is taken.
  package static func rename(_ path: String, toNew target: String) -> CInt {
    unsafe coffer_rename_to_new(path, target)
  }

  /// Waits until the file system of an open file is on the disk.
  package static func syncFileSystem(of descriptor: CInt) -> CInt {
    coffer_sync_file_system(descriptor)
  }

  /// Begins to write a file to the disk, without waiting for it.
  package static func beginSync(of descriptor: CInt) { coffer_begin_sync(descriptor) }

  /// When a file was made, in nanoseconds since 1970; 0 where its file system doesn't know it.
  package static func birthTime(of path: String) -> Int64 { unsafe coffer_birth_time(path) }

  /// Whether a function returns true in a copy of this process, which ends with it.
  ///
  /// The copy has this thread alone: a lock that another one holds stays locked there, so that the
  /// function may hang. It is therefore tried three times. A crash prints nothing, and leaves no
  /// file.
  /// - Returns: False as well if no copy has a result in time, or none can be made.
  package static func succeedsInChild(milliseconds: Int, _ body: () -> Bool) -> Bool {
    for _ in 1...3 {
      if let result = resultInChild(milliseconds: milliseconds, body) { return result }
    }
    return false
  }

  /// What a function returns in a copy of this process, false if that crashes; nil if it doesn't
  /// end in time.
  private static func resultInChild(milliseconds: Int, _ body: () -> Bool) -> Bool? {
    var ends: [CInt] = [-1, -1]
    guard unsafe coffer_pipe(&ends) == 0 else { return false }
    defer { close(ends[0]) }
    let child = coffer_fork()
    if child == 0 {
      var limit = rlimit()
      unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      // The program's handlers report its crashes, not those of a copy.
      for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS] {
        signal(number, SIG_DFL)
      }
      var result: UInt8 = body() ? 1 : 0
      _ = unsafe write(ends[1], &result, 1)
      _exit(0)
    }
    close(ends[1])
    guard child > 0 else { return false }
    defer {
      // A program that ignores its children's ends has none to wait for.
      kill(child, SIGKILL)
      _ = retrying { waitpid(child, nil, 0) }
    }
    var watched = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
    guard retrying({ unsafe poll(&watched, 1, CInt(milliseconds)) }) != 0 else { return nil }
    var result: UInt8 = 0
    return retrying { unsafe read(ends[0], &result, 1) } == 1 && result == 1
  }

  // MARK: The kernel's keyrings

  /// Returns the number of a key of the type `user`; -1 with `errno` if there is none.
  package static func findKey(_ description: String, inSession: Bool) -> Int {
    unsafe coffer_keyring_search(inSession ? 1 : 0, description)
  }

  /// Reads a key.
  ///
  /// - Returns: The number of its bytes, also if there is room for fewer; -1 with `errno`.
  package static func readKey(_ number: Int, to target: UnsafeMutableRawBufferPointer) -> Int {
    unsafe coffer_keyring_read(number, target.baseAddress, target.count)
  }

  /// Adds a key to the user's keyring.
  ///
  /// - Returns: Its number; -1 with `errno`.
  package static func addKey(_ description: String, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe coffer_keyring_add(description, bytes.baseAddress, bytes.count)
  }

  package static func removeKey(_ number: Int) { _ = coffer_keyring_unlink(number) }
}
