print("drawbridge")
