"""How many? Estimate the share of each class among unlabelled documents."""
