"""From outlines and readings to the table: what lies where, and what lies beside."""
