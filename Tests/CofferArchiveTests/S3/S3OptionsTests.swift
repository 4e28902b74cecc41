#if S3
  import Foundation
  import Synchronization
  import Testing

  @testable import CofferArchive

  @Suite struct S3OptionsTests {
    private func endpoint(
      _ options: S3Options = S3Options(), bucket: String = "bucket",
      _ environment: [String: String] = [:]
    ) throws -> S3Endpoint {
      try S3Endpoint(options, bucket: bucket, environment: environment)
    }

    // MARK: Addresses

    @Test func `an address is a bucket and a prefix`() throws {
      let cases = [
        ("s3://bucket", "bucket", ""), ("s3://bucket/", "bucket", ""),
        ("s3://my.bucket-1/a/b_c~", "my.bucket-1", "a/b_c~/"), ("s3://bucket/a/", "bucket", "a/"),
      ]
      for (text, bucket, prefix) in cases {
        let location = try S3Location(text)
        #expect(location.bucket == bucket)
        #expect(location.prefix == prefix)
      }
    }

    @Test(arguments: [
      "", "bucket", "http://bucket", "s3:/bucket", "s3://", "s3://ab", "s3://a b", "s3://..b",
      "s3://bucket/a//b", "s3://bucket/../x", "s3://bucket/a b", "s3://bucket/%41",
      "s3://bucket/a?b", "s3://user@bucket", "s3://bucket/ä", "s3://bucket//",
    ])
    func `other addresses are refused`(text: String) {
      #expect(throws: S3Error.self) { try S3Destination(text) }
    }

    @Test(arguments: ["", "/a", "a/", "a//b", "..", "a/./b", "a b", "a%", "ä", "a\n"])
    func `other names are refused`(name: String) throws {
      let destination = try S3Destination("s3://bucket")
      #expect(throws: S3Error.invalidName) { try destination.get(name) }
      #expect(throws: S3Error.invalidName) { try destination.putIfAbsent(name, Data()) }
      #expect(throws: S3Error.invalidName) { try destination.delete(name) }
    }

    @Test func `a name has at most 200 characters`() throws {
      let location = try S3Location("s3://bucket")
      #expect(try location.key(String(repeating: "a", count: 200)).count == 200)
      #expect(throws: S3Error.invalidName) {
        try location.key(String(repeating: "a", count: 201))
      }
    }

    @Test func `the endpoint is the option's, the environment's, or Amazon's`() throws {
      #expect(
        try endpoint().url(bucket: "bucket", key: "a/b")
          == "https://bucket.s3.us-east-1.amazonaws.com/a/b")
      #expect(
        try endpoint(bucket: "my.bucket", ["AWS_DEFAULT_REGION": "cn-north-1"])
          .url(bucket: "my.bucket", key: "a")
          == "https://s3.cn-north-1.amazonaws.com.cn/my.bucket/a")
      #expect(
        try endpoint(["AWS_ENDPOINT_URL": "http://[::1]:7480/", "AWS_REGION": "x"])
          .url(bucket: "bucket", key: "a") == "http://[::1]:7480/bucket/a")
      var options = S3Options()
      options.endpoint = "https://store.example/s3"
      options.usesPathStyle = false
      #expect(
        try endpoint(options, ["AWS_ENDPOINT_URL": "http://x"]).url(bucket: "bucket", key: "a")
          == "https://bucket.store.example/s3/a")
    }

    private func endpoint(_ environment: [String: String]) throws -> S3Endpoint {
      try endpoint(S3Options(), environment)
    }

    @Test(arguments: [
      "store.example", "ftp://x", "http://", "http://user:secret@host", "http://host/a b",
      "http://host?x", "http://host/#", "file:///etc",
    ])
    func `other endpoints are refused`(text: String) {
      #expect(throws: S3Error.self) { try endpoint(["AWS_ENDPOINT_URL": text]) }
    }

    @Test func `a query is sorted and encoded`() throws {
      let url = try endpoint().url(
        bucket: "bucket", key: "", query: [("prefix", "a/b c+ä"), ("list-type", "2"), ("b", "")])
      #expect(url.hasSuffix("/?b=&list-type=2&prefix=a%2Fb%20c%2B%C3%A4"))
    }

    @Test func `options out of range are refused`() {
      for change: (inout S3Options) -> Void in [
        { $0.attempts = 0 }, { $0.requestTimeLimit = 0 }, { $0.connectionTimeLimit = -1 },
        { $0.stallTimeLimit = 0 }, { $0.requestTimeLimit = .nan }, { $0.region = "a b" },
        { $0.requestTimeLimit = .infinity },
      ] {
        var options = S3Options()
        change(&options)
        #expect(throws: S3Error.self) { try S3Destination("s3://bucket", options: options) }
      }
    }

    @Test func `delays double up to 20 seconds`() {
      #expect([1, 2, 3, 4].map(S3Retry.ceiling) == [0.1, 0.2, 0.4, 0.8])
      #expect(S3Retry.ceiling(9) == 20)
      #expect(S3Retry.ceiling(1000) == 20)
    }

    // MARK: Replies

    @Test func `texts of elements are found and decoded`() {
      let xml = S3XML(
        Data(
          "<?xml?><A x='1'><Keys>no</Keys><Key >a&amp;b&lt;&#x41;&#66;&x;&</Key><Key/><Key></Key></A> \n"
            .utf8))
      #expect(xml.texts("Key") == ["a&b<AB&x;&", "", ""])
      #expect(xml.text("Missing") == nil)
      #expect(xml.text("A") == nil)
      #expect(xml.endsWith("A"))
      #expect(!xml.endsWith("Keys"))
    }

    @Test(arguments: ["", "<", "<Key", "<Key>", "<Key>a", "<Key>a<", "<Key>a<b", "</Key>", "Key>"])
    func `cut texts are no texts`(text: String) {
      #expect(S3XML(Data(text.utf8)).texts("Key") == [])
    }

    @Test func `the hash is SHA-256`() {
      #expect(
        S3BodyHash.shared?.hex(Data("abc".utf8))
          == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
      let slice = Data("xabc".utf8)[1...]
      #expect(S3BodyHash.shared?.hex(slice) == S3BodyHash.shared?.hex(Data("abc".utf8)))
    }
  }
#endif
