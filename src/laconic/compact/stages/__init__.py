"""The stages of the pipeline, one small pure function each; pipeline.py has their order."""
