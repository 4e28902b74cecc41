import Coffer

print("coffer")
