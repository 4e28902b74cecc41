import CofferCore
import CofferQuery

extension JSONElement: FetchableRecord {}
