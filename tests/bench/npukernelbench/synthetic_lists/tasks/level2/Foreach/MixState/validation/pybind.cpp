// Stands in the way of nobody: the tests give the bindings as a Python module.
