"""Networks as their users build them: links, flows, traffic, topologies, scenario files, drawing."""
