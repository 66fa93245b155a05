"""What an experimenter writes: study files with texts and questionnaires, and the plan that follows."""
