"""What people and machines read of a run. Numbers come from the ledger and the stages' files, never counted again."""
