"""From a frame to codes: roles, values, domains, schema."""
