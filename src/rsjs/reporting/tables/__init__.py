"""Tables of rows: columns, footnotes, and what writes them."""
