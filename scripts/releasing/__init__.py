"""What scripts/release and scripts/test-packages are made of."""
