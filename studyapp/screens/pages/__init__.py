"""The pages: one module per page.  ``studyapp.screens.step_pages`` says which step shows which page."""
