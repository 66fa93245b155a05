"""What an experimenter writes: study files, their texts and questionnaires, and the plan that follows."""
