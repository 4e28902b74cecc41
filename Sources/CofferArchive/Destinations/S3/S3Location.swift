#if S3
  /// A bucket and the beginning of its objects' keys.
  struct S3Location: Hashable, Sendable {
    static let keyLimit = 1024
    static let nameLimit = 200

    let bucket: String
    /// Empty, or with a `/` at its end.
    let prefix: String

    /// Parses `s3://bucket/prefix`.
    init(_ text: String) throws(S3Error) {
      guard text.hasPrefix("s3://") else { throw .invalidAddress("it doesn't begin with s3://") }
      let rest = text.dropFirst(5)
      let slash = rest.firstIndex(of: "/") ?? rest.endIndex
      bucket = String(rest[..<slash])
      guard (3...63).contains(bucket.utf8.count),
        bucket.utf8.allSatisfy({ S3Location.isNameSign($0) || $0 == UInt8(ascii: "_") }),
        !bucket.contains(".."), !bucket.hasPrefix("."), !bucket.hasPrefix("-")
      else {
        throw .invalidAddress("a bucket's name has 3 to 63 letters, digits, \"-\" and \".\"")
      }
      var path = rest[slash...].dropFirst()
      if path.hasSuffix("/"), path != "/" { path = path.dropLast() }
      guard path.isEmpty || S3Location.isPath(path, extraSigns: "_~") else {
        throw .invalidAddress(
          "a prefix has letters, digits, \"-\", \".\", \"_\", \"~\", and \"/\" between its parts")
      }
      prefix = path.isEmpty ? "" : path + "/"
      guard prefix.utf8.count + S3Location.nameLimit <= S3Location.keyLimit else {
        throw .invalidAddress("the prefix has over 824 characters")
      }
    }

    /// Returns the key of the object with a name.
    func key(_ name: String) throws(S3Error) -> String {
      guard S3Location.isName(name) else { throw .invalidName }
      return prefix + name
    }

    /// Returns the name of an object with a key; nil if it is none of the archive's.
    func name(ofKey key: String) -> String? {
      guard key.hasPrefix(prefix) else { return nil }
      let name = String(key.dropFirst(prefix.count))
      return S3Location.isName(name) ? name : nil
    }

    static func isName(_ text: String) -> Bool {
      text.utf8.count <= nameLimit && isPath(text[...])
    }

    /// Whether a text can be the beginning of a name.
    static func isNamePrefix(_ text: String) -> Bool {
      text.utf8.count <= nameLimit
        && text.utf8.allSatisfy { isNameSign($0) || $0 == UInt8(ascii: "/") }
    }

    static func isNameSign(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    }

    /// Whether a text has parts between `/`, none of them empty or one that servers take for a
    /// folder.
    static func isPath(_ text: Substring, extraSigns: String = "") -> Bool {
      text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty && part != "." && part != ".."
          && part.utf8.allSatisfy { isNameSign($0) || extraSigns.utf8.contains($0) }
      }
    }
  }
#endif
