"""The field's scoreboard: numbers that people print in issue trackers, beside the laws."""
