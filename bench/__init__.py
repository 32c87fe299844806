"""Task suites, importers of public benchmarks, runner, metrics, reports."""
