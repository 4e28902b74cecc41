import CofferSQLite
import Glibc
import Synchronization

/// A provider for SQLCipher that keeps libcrypto's contexts, see ``CipherContext``, and leaves
/// everything else to SQLCipher's provider.
enum KeptProvider {
  /// What the contexts have in common; nil if a function is missing.
  ///
  // SAFETY: it is written once, before any other thread can see it, and never freed.
  nonisolated(unsafe) static let functions: UnsafePointer<CipherContext.Functions>? = {
    guard let stock = unsafe SQLCipherLibrary.stockProvider, let crypto = unsafe PageCrypto() else {
      return nil
    }
    let functions = UnsafeMutablePointer<CipherContext.Functions>.allocate(capacity: 1)
    unsafe functions.initialize(to: CipherContext.Functions(stock: stock, crypto: crypto))
    return unsafe UnsafePointer(functions)
  }()

  /// The provider's functions; nil if a function is missing.
  ///
  /// Its name and version are those of SQLCipher's provider, whose pragmas show them.
  static let provider: SQLCipherProvider? = {
    guard let engine = unsafe functions?.pointee.stock else { return nil }
    let activate: SQLCipherProvider.Status = {
      unsafe stock($0).activate?(stockContext($0)) ?? SQLite.ok
    }
    let deactivate: SQLCipherProvider.Status = {
      unsafe stock($0).deactivate?(stockContext($0)) ?? SQLite.ok
    }
    return unsafe SQLCipherProvider(
      activate: engine.activate == nil ? nil : activate,
      deactivate: engine.deactivate == nil ? nil : deactivate,
      name: { unsafe stock($0).name(stockContext($0)) },
      addRandom: { unsafe stock($0).addRandom(stockContext($0), $1, $2) },
      random: { context, output, count in
        if let code = unsafe kept(context)?.pointee.random(output, count) ?? nil { return code }
        return unsafe stock(context).random(stockContext(context), output, count)
      },
      hmac: { context, algorithm, key, keySize, input, count, more, moreCount, output in
        let code = unsafe kept(context)?.pointee.authenticate(
          algorithm, key, keySize, input, count, more, moreCount, output)
        if let code = code ?? nil { return code }
        return unsafe stock(context).hmac(
          stockContext(context), algorithm, key, keySize, input, count, more, moreCount, output)
      },
      deriveKey: { unsafe stock($0).deriveKey(stockContext($0), $1, $2, $3, $4, $5, $6, $7, $8) },
      cipher: { context, mode, key, keySize, iv, input, count, output in
        let code = unsafe kept(context)?.pointee.crypt(
          mode, key, keySize, iv, input, count, output)
        if let code = code ?? nil { return code }
        return unsafe stock(context).cipher(
          stockContext(context), mode, key, keySize, iv, input, count, output)
      },
      cipherName: { unsafe stock($0).cipherName(stockContext($0)) },
      keySize: { unsafe stock($0).keySize(stockContext($0)) },
      ivSize: { unsafe stock($0).ivSize(stockContext($0)) },
      blockSize: { unsafe stock($0).blockSize(stockContext($0)) },
      hmacSize: { unsafe stock($0).hmacSize(stockContext($0), $1) },
      makeContext: { unsafe make($0) },
      freeContext: { unsafe free($0) },
      isFIPS: { unsafe stock($0).isFIPS(stockContext($0)) },
      version: { unsafe stock($0).version(stockContext($0)) }
    )
  }()

  // SAFETY: SQLCipher passes the address that `make` has returned for the context, or null.
  @inline(__always)
  private static func kept(
    _ context: UnsafeMutableRawPointer?
  ) -> UnsafeMutablePointer<CipherContext>? {
    unsafe context?.assumingMemoryBound(to: CipherContext.self)
  }

  @inline(__always)
  private static func stockContext(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  {
    unsafe kept(context)?.pointee.stock
  }

  // SAFETY: SQLCipher can call the provider's functions only after `provider` was made.
  @inline(__always)
  private static func stock(_ context: UnsafeMutableRawPointer?) -> SQLCipherProvider {
    unsafe (kept(context)?.pointee.functions ?? functions!).pointee.stock
  }

  private static func make(_ target: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> CInt {
    guard let functions = unsafe functions, let target = unsafe target else { return SQLite.error }
    let size = unsafe MemoryLayout<CipherContext>.stride
    guard let memory = unsafe SQLite.allocate(size) else { return SQLite.noMemory }
    let context = unsafe memory.bindMemory(to: CipherContext.self, capacity: 1)
    unsafe context.initialize(to: CipherContext(functions))
    let code = unsafe functions.pointee.stock.makeContext(&context.pointee.stock)
    guard code == SQLite.ok else {
      unsafe release(context)
      return code
    }
    unsafe target.pointee = unsafe memory
    made.withLock { made in
      let thread = UInt(pthread_self())
      if made[thread] != nil { made[thread] = UInt(bitPattern: context) }
    }
    return SQLite.ok
  }

  private static func free(_ target: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> CInt {
    guard let target = unsafe target, let context = unsafe kept(target.pointee) else {
      return SQLite.ok
    }
    made.withLock { made in
      for (thread, address) in made where address == UInt(bitPattern: context) { made[thread] = 0 }
    }
    let stock = unsafe context.pointee.functions.pointee.stock
    let code = unsafe stock.freeContext(&context.pointee.stock)
    unsafe release(context)
    unsafe target.pointee = nil
    return code
  }

  /// The context that each thread has made while it executes ``contextMade(by:)``; 0 for none.
  private static let made = Mutex<[UInt: UInt]>([:])

  /// Executes a function that gives a key to a file.
  ///
  /// - Returns: Also the file's context, which lives until the file has another key or is closed;
  ///   nil if another provider has it.
  static func contextMade<Result, Failure: Error>(
    by body: () throws(Failure) -> Result
  ) throws(Failure) -> (result: Result, context: UnsafeMutablePointer<CipherContext>?) {
    let thread = UInt(pthread_self())
    made.withLock { $0[thread] = 0 }
    defer { made.withLock { _ = $0.removeValue(forKey: thread) } }
    let result = try body()
    let address = made.withLock { $0[thread] ?? 0 }
    // SAFETY: a context that was freed is not in the table any more.
    return unsafe (result, UnsafeMutablePointer(bitPattern: address))
  }

  /// Wipes and frees a context.
  private static func release(_ context: UnsafeMutablePointer<CipherContext>) {
    unsafe context.pointee.free()
    unsafe explicit_bzero(context, MemoryLayout<CipherContext>.stride)
    unsafe SQLite.free(context)
  }
}
