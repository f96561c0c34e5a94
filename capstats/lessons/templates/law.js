// This lesson is not written yet.
