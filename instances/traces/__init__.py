"""Public traces of GPU clusters: readers, what is wrong in them, workloads made of them."""
