"""`python -m rsjs` is the command `rsjs`."""

from rsjs.cli.main import main

raise SystemExit(main())
