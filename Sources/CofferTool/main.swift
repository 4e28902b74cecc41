import CofferToolKit

Program.run()
