"""The views of the page: one blueprint for each subject."""
