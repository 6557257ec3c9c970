"""Fields, parameters, state and functions of plug-ins: schemes, disciplines and services."""
