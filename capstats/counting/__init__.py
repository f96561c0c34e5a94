"""From records to tables of counts."""
