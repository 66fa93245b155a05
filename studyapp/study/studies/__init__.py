"""The studies that come with studyapp, one file each."""

DEFAULT = "paper"
