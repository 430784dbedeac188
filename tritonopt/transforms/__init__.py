"""Former home of what passes share: see `facts`, `launches`, `emit`."""
