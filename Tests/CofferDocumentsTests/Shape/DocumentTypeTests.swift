import Testing

@testable import CofferDocuments
