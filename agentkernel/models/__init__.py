"""Model clients: endpoints, recordings, scripts."""
