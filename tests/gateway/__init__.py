"""The gateway against a service that drops, delays and garbles its answers."""
