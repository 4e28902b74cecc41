@testable import CofferCore
@testable import CofferQuery
import Synchronization

/// Finds no tokens.
final class SilentTokenizer: FTS5CustomTokenizer {
  static let name = "silent"

  init(db: Database, arguments: [String]) throws {}

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
    pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    0
  }
}

/// Finds each byte, as C would.
final class ByteTokenizer: FTS5CustomTokenizer {
  static let name = "bytes"

  init(db: Database, arguments: [String]) throws {}

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
    pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    guard let pText else { return 0 }
    for index in 0..<nText {
      let code = tokenCallback(context, 0, pText + Int(index), 1, index, index + 1)
      guard code == 0 else { return code }
    }
    return 0
  }
}

/// Passes on the tokens of the tokenizer that its arguments name.
final class PassingTokenizer: FTS5WrapperTokenizer {
  static let name = "passing"
  static let alive = Mutex(0)
  static let made = Mutex(0)
  let wrappedTokenizer: any FTS5Tokenizer

  init(db: Database, arguments: [String]) throws {
    wrappedTokenizer = try db.makeTokenizer(
      arguments.isEmpty ? .unicode61() : FTS5TokenizerDescriptor(components: arguments))
    Self.alive.withLock { $0 += 1 }
    Self.made.withLock { $0 += 1 }
  }

  deinit { Self.alive.withLock { $0 -= 1 } }

  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
    tokenCallback: FTS5WrapperTokenCallback
  ) throws {
    try tokenCallback(token, flags)
  }
}

/// Adds synonyms to documents, and leaves out the words of a table.
final class SynonymTokenizer: FTS5WrapperTokenizer {
  static let name = "synonyms"
  let wrappedTokenizer: any FTS5Tokenizer
  let stopWords: Set<String>
  let synonyms = [["first", "1st", "erster"], ["second", "2nd"]]

  init(db: Database, arguments: [String]) throws {
    wrappedTokenizer = try db.makeTokenizer(.unicode61())
    stopWords = try String.fetchSet(db, sql: "SELECT word FROM stopWord")
  }

  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
    tokenCallback: FTS5WrapperTokenCallback
  ) throws {
    if stopWords.contains(token) { return }
    guard tokenization.contains(.document),
      let group = synonyms.first(where: { $0.contains(token) })
    else { return try tokenCallback(token, flags) }
    try tokenCallback(token, flags)
    for synonym in group where synonym != token {
      try tokenCallback(synonym, flags.union(.colocated))
    }
  }
}

/// Throws at some words, and can swallow the callback's errors.
final class FailingTokenizer: FTS5WrapperTokenizer {
  struct Failure: Error, CustomStringConvertible { var description = "a failure of its own" }
  static let name = "failing"
  let wrappedTokenizer: any FTS5Tokenizer

  init(db: Database, arguments: [String]) throws {
    switch arguments.first {
    case "plain": throw Failure()
    case "coded":
      throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK, message: "the lexicon is missing")
    case "ok": throw DatabaseError(resultCode: .SQLITE_OK, message: "no failure at all")
    default: wrappedTokenizer = try db.makeTokenizer(.ascii())
    }
  }

  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
    tokenCallback: FTS5WrapperTokenCallback
  ) throws {
    switch token {
    case "plain": throw Failure()
    case "coded": throw DatabaseError(resultCode: .SQLITE_FULL, message: "no room for it")
    default: try tokenCallback(token, flags)
    }
  }
}

/// Logs the reasons for which tokens were wanted.
final class CuriousTokenizer: FTS5WrapperTokenizer {
  static let name = "curious"
  static let reasons = Mutex<[FTS5Tokenization]>([])
  let wrappedTokenizer: any FTS5Tokenizer

  init(db: Database, arguments: [String]) throws {
    wrappedTokenizer = try db.makeTokenizer(.ascii())
  }

  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
    tokenCallback: FTS5WrapperTokenCallback
  ) throws {
    Self.reasons.withLock { $0.append(tokenization) }
    try tokenCallback(token, flags)
  }
}
