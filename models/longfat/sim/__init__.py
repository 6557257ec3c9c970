"""The packet simulators; they know nothing of the laws."""
