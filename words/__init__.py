"""The word sets that come with studyapp; README.md here tells their origin and form."""
