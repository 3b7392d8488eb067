"""Best-known costs and lower bounds of instances: who found them first, and who agrees."""
