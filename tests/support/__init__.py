"""What the tests of leases, intents, effects and loops share: a world with a clock of its own."""
