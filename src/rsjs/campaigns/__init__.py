"""Many runs: named by a TOML file, carried out once each, kept in a store, collected as rows."""
