"""The bundled studies, one file each."""

DEFAULT = "paper"
