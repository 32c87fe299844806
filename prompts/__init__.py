"""Every word that a model reads: Jinja2 templates and their loader."""
