"""Values: what the vector and data movement calls compute."""
