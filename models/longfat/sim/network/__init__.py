"""Networks that users build: links, flows, traffic, topologies, scenario files and drawings."""
