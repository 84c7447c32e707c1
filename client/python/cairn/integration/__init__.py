"""Callbacks for frameworks. Each module imports its framework: cairn.integration.lightning, .transformers, .keras."""
